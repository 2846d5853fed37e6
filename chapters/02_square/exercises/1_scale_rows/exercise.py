"""scale_rows: complete a kernel over a matrix

Each row is multiplied by a number of its own.
"""

import torch

from common.exercises import check, device, launchers, shared_out

MINUTES = 10
FAILS = "? is not written"


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
