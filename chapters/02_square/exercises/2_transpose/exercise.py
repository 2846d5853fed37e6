"""transpose: write a kernel over a matrix, and its launcher

The result has as many rows as the matrix has columns. Each element has a thread.
"""

import torch

from grader.checks import check, device, launchers

MINUTES = 25
FAILS = "undefined reference to `launch_transpose"


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
