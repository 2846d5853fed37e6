"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

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
    "index_of_32_bits": (
        "the last blocks write element 1277978, and not the last one, 4296245274",
        {
            "transpose.cu": [
                (
                    "if (row < height && column < width) result[column * height + row] = matrix[row * width + column];",
                    (
                        "const unsigned h = height, w = width, r = row, c = column;\n"
                        "    if (r < h && c < w) result[c * h + r] = matrix[r * w + c];"
                    ),
                )
            ],
        },
    ),
    "one_thread_does_all": (
        "1680 stores, each by one lane alone",
        {
            "transpose.cu": [
                (
                    "    if (row < height && column < width) result[column * height + row] = matrix[row * width + column];",
                    (
                        "    if (row > 0 || column > 0) return;\n"
                        "    for (int64_t r = 0; r < height; r++)\n"
                        "        for (int64_t c = 0; c < width; c++) result[c * height + r] = matrix[r * width + c];"
                    ),
                )
            ],
        },
    ),
    "fixed_grid": (
        "launches 1048576 threads, but each of the 1640960 elements needs",
        {
            "transpose.cu": [("grid(blocks_for(width, tile), blocks_for(height, tile))", "grid(64, 64)")],
        },
    ),
    "blocks_of_8_rows": (
        "1048560 rows, 4097 columns: 4295950320 elements, more than 2^32: launch_transpose failed: invalid configuration",
        {
            "transpose.cu": [
                (
                    "block(tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile))",
                    "block(32, 8), grid(blocks_for(width, 32), blocks_for(height, 8))",
                )
            ]
        },
    ),
    "as_int": (
        "wrong result",
        {"transpose.cu": [("= matrix[row", "= int(matrix[row"), ("width + column]", "width + column])")]},
    ),
    "wide_alone": (
        "columns = 1 (matrix: 3 rows, 1 column): wrong result",
        {
            "transpose.cu": [
                (
                    "(height == 0 || width == 0) return;",
                    "(height == 0 || width == 0) return;\n    if (height > width) height = width;",
                )
            ]
        },
    ),
}
