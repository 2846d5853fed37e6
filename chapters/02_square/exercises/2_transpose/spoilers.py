"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Let the grid lie over the matrix as in square.cu: each thread reads one element and writes one.",
    "The rows of the result have `height` elements: how far is its next row in memory?",
    "result[column * height + row] = matrix[row * width + column], if there is such a row and such a column.",
]
WRONG = {
    "on_the_host": (
        "the host reads matrix[0] (row 0, column 0) at transpose.cu",
        {
            "transpose.cu": [
                (
                    "    const dim3 block(tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile));\n"
                    "    transpose_kernel<<<grid, block, 0, stream>>>(result, matrix, height, width);\n"
                    "    CHECK_LAUNCH();\n",
                    "    for (int64_t row = 0; row < height; row++)\n"
                    "        for (int64_t column = 0; column < width; column++)\n"
                    "            result[column * height + row] = matrix[row * width + column];\n",
                )
            ]
        },
    ),
    "one_thread_a_row": (
        "launches 16 threads, but each of the 35 elements",
        {
            "transpose.cu": [
                (
                    "const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;\n    if (row < height && column",
                    "for (int64_t row = 0; row < height; row++)\n        if (column",
                ),
                (
                    "block(tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile))",
                    "block(tile), grid(blocks_for(width, tile))",
                ),
            ]
        },
    ),
    "width_as_stride": ("out of bounds", {"transpose.cu": [("* height", "* width")]}),
    "only_square": ("? was never written", {"transpose.cu": [("(width", "(height")]}),
    "empty_grid": ("invalid configuration", {"transpose.cu": [("    if (height == 0 || width == 0) return;\n", "")]}),
}
