"""transpose: write a kernel over a matrix, and its launcher

The result has as many rows as the matrix has columns. Each element has a thread.
"""

import torch

from common.exercises import check, device, launchers

MINUTES = 25
HINTS = [
    "Let the grid lie over the matrix as in square.cu: each thread reads one element and writes one.",
    "The rows of the result have `height` elements: how far is its next row in memory?",
    "result[column * height + row] = matrix[row * width + column], if there is such a row and such a column.",
]
FAILS = "undefined reference to `launch_transpose"
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
        "launches 16 threads, and each of 35 elements",
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
    "only_square": ("? is not written", {"transpose.cu": [("(width", "(height")]}),
    "empty_grid": ("invalid configuration", {"transpose.cu": [("    if (height == 0 || width == 0) return;\n", "")]}),
}


def run(mine):
    launch = launchers(mine / "transpose.cu").launch_transpose

    def transpose(matrix):
        height, width = matrix.shape
        result = torch.empty(width, height, device=device)
        launch(result, matrix, height, width, threads=matrix.numel())
        return result

    def inputs(n):
        return (torch.arange(n * (n + 2), device=device).float().view(n, n + 2),)

    check(transpose, lambda matrix: matrix.t().contiguous(), inputs, (0, 1, 2, 5, 15, 16, 17, 40), name="rows")
