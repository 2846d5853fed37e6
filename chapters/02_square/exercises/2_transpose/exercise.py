"""transpose: write a kernel over a matrix, and its launcher

Write a kernel and its launcher that transpose a matrix: result[column][row] = matrix[row][column]. The result has as many
rows as the matrix has columns. Each element has a thread.
"""

import torch

from grader.checks import check, device, last_element, launchers, many, work_is_divided

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
        return ((torch.arange(n * (n + 2), device=device) / 4 - 5).view(n, n + 2),)

    def reference(matrix):
        return matrix.t().contiguous()

    sizes = (0, 1, 2, 5, 15, 16, 17, 40)
    check(transpose, reference, inputs, sizes, name="rows", any_n=True)
    check(transpose, reference, lambda n: (inputs(n)[0].view(n + 2, n),), sizes, name="columns")
    work_is_divided(lambda: transpose(*inputs(40)), 40 * 42)
    most = 2**20 - 16  # of each dimension, says transpose.h
    for height, width in (2**17 + 3, 2**15 + 9), (most, 2**12 + 1), (2**12 + 1, most):
        result, matrix = many(height * width), many(height * width)
        if matrix is not None:
            matrix[: 2**21], matrix[-1] = 5, 3  # an index of 32 bits leads to the first of these
            where = f"{height} rows, {width} columns"
            last_element(launch, result, matrix, height, width, expected=3, where=where, may_loop=False)
