"""scale_rows: complete a kernel over a matrix

Each row is multiplied by a number of its own.
"""

import torch

from grader.checks import check, device, last_element, launchers, many, shared_out

MINUTES = 10
FAILS = "? was never written"


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
    height, width = 2**17 + 3, 2**15 + 9
    result, matrix = many(height * width), many(height * width)
    if matrix is not None:
        matrix[: 2**21] = matrix[-1] = 3  # an index of 32 bits leads to the first of these
        factors = torch.full((height,), 2.0)
        last_element(
            launch, result, matrix, factors, height, width, expected=6, where=f"{height} rows, {width} columns"
        )
