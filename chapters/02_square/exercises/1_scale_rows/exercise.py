"""scale_rows: complete a kernel over a matrix

Multiply each row of a matrix by a factor of its own: result[row][column] = factors[row] * matrix[row][column]. The grid lies
over the matrix, and each thread has at most one element.
"""

import math

import torch

from grader.checks import check, device, last_element, launchers, limits, many, work_is_divided
from grader.report import show

MINUTES = 5
FAILS = "? was never written"


def run(mine):
    launch = launchers(mine / "scale_rows.cu").launch_scale_rows

    def scale_rows(matrix, factors):
        result = torch.empty_like(matrix)
        launch(result, matrix, factors, *matrix.shape)
        return result

    def inputs(n):
        matrix = torch.randint(-9, 9, (n, n + 2), device=device) / 4
        return matrix, 2 + 1.25 * torch.randperm(n, device=device)  # neither 0 nor 1: a drawing shows them

    def reference(matrix, factors):
        return matrix * factors[:, None]

    sizes = (0, 1, 2, 5, 15, 16, 17, 40)
    check(scale_rows, reference, inputs, sizes, name="rows", any_n=True)
    special = torch.tensor([0, 1e-40, -3e38, math.inf, math.nan], device=device)
    check(scale_rows, reference, lambda n: (special.repeat(n, 1), special), (5,), name="0, inf and NaN too, rows")
    work_is_divided(lambda: scale_rows(*inputs(40)), 40 * 42)
    matrix, factors = torch.zeros(256, 64, device=device), torch.ones(256, device=device)
    limits(lambda: scale_rows(matrix, factors), sectors_per_request=4)
    height, width = 2**17 + 3, 2**15 + 9
    result, matrix = many(height * width), many(height * width)
    if matrix is not None:
        matrix[: 2**21], matrix[-1] = 5, 3  # an index of 32 bits leads to the first of these
        factors = torch.full((height,), 7.0)
        factors[-1] = 2
        where = f"{height} rows, {width} columns"
        last_element(launch, result, matrix, factors, height, width, expected=6, where=where, may_loop=False)
    show("a disc, and what your kernel makes of it with the factors 0, 1, 2 and so on", *faded(scale_rows))


def faded(scale_rows):
    height, width = 10, 40
    rows, columns = torch.arange(height, device=device)[:, None] - 4.5, torch.arange(width, device=device) - 19.5
    disc = ((rows / 5) ** 2 + (columns / 12) ** 2 < 1).float()
    found = scale_rows(disc, torch.arange(height, device=device).float())
    both = torch.cat((9 * disc, found), 1).long().tolist()
    return ["".join(" .:-=+*#%@"[level] for level in row) for row in both]
