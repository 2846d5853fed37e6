"""sectors: reach four sectors a request

The kernel is right, and each warp touches 16 sectors with one load. Four hold the 32 floats.
"""

import torch

from common.exercises import check, device, launchers, limits, shared_out

MINUTES = 15
HINTS = [
    "Which elements have lanes 0 and 1 of a warp? They differ in threadIdx.x only.",
    "Where threadIdx.x counts columns, neighbouring lanes have neighbours in a row. The grid has to change, too.",
]
FAILS = "each load of a warp touches 16 sectors of device memory, at most 4 allowed"
WRONG = {
    "only_the_kernel": (
        "? is not written",
        {"negate.cu": [("width, tile), blocks_for(height", "height, tile), blocks_for(width")]},
    ),
    "every_block_does_all_rows": (
        "16384 elements, and 262144 stores",
        {
            "negate.cu": [
                (
                    "const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;\n"
                    "    if (row >= height || column >= width) return;\n    result",
                    "if (column >= width) return;\n"
                    "    for (int64_t row = threadIdx.y; row < height; row += blockDim.y) result",
                )
            ]
        },
    ),
    "one_column": (
        "touches 32 sectors",
        {
            "negate.cu": [
                (
                    "const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;",
                    "const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    const int64_t column = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;",
                ),
                (
                    "tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile",
                    "tile * tile, 1), grid(blocks_for(height, tile * tile), blocks_for(width, 1",
                ),
            ]
        },
    ),
}


def run(mine):
    launch = launchers(mine / "negate.cu").launch_negate

    def negate(matrix):
        result = torch.empty_like(matrix)
        launch(result, matrix, *matrix.shape)
        return result

    def inputs(n):
        return (torch.arange(n * (n + 2), device=device).float().view(n, n + 2),)

    check(negate, torch.neg, inputs, (0, 1, 2, 5, 15, 16, 17, 40), name="rows")
    matrix = torch.zeros(256, 64, device=device)
    limits(lambda: negate(matrix), sectors_per_request=4)
    shared_out(lambda: negate(matrix), 256 * 64)
