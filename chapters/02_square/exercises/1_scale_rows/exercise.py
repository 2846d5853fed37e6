"""scale_rows: complete a kernel over a matrix

Each row is multiplied by a number of its own.
"""

import torch

from common.exercises import check, device, launchers, shared_out

MINUTES = 10
HINTS = [
    "square_matrix_kernel computes row and column. Here no loop is needed: the grid covers all rows.",
    "An element's index in memory is row * width + column; the number for its row is factors[row].",
    "Threads beyond the right or the lower edge return first.",
]
FAILS = "? is not written"
WRONG = {
    "factor_of_the_column": ("out of bounds", {"scale_rows.cu": [("[row]", "[column]")]}),
    "no_right_edge": ("out of bounds", {"scale_rows.cu": [("height || column >= width", "height")]}),
    "every_block_does_all_rows": (
        "1680 elements, and 5040 stores",
        {
            "scale_rows.cu": [
                (
                    "const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;\n"
                    "    if (row >= height || column >= width) return;\n    result",
                    "if (column >= width) return;\n"
                    "    for (int64_t row = threadIdx.y; row < height; row += blockDim.y) result",
                )
            ]
        },
    ),
    "height_as_stride": (
        "data race",
        {
            "scale_rows.cu": [
                (
                    "width + column] = factors[row] * matrix[row * width",
                    "height + column] = factors[row] * matrix[row * height",
                )
            ]
        },
    ),
}


def run(mine):
    launch = launchers(mine / "scale_rows.cu").launch_scale_rows

    def scale_rows(matrix, factors):
        result = torch.empty_like(matrix)
        launch(result, matrix, factors, *matrix.shape)
        return result

    def inputs(n):
        matrix = torch.randint(-9, 9, (n, n + 2), device=device).float()
        return matrix, torch.arange(2, n + 2, device=device).float()  # neither 0 nor 1: a drawing shows them

    sizes = (0, 1, 2, 5, 15, 16, 17, 40)
    check(scale_rows, lambda matrix, factors: matrix * factors[:, None], inputs, sizes, name="rows")
    shared_out(lambda: scale_rows(*inputs(40)), 40 * 42)
