"""sectors: reach four sectors a request

The kernel is right, but each load and each store of a warp touches 16 sectors, where 4 could hold the 32 floats. Change the
kernel and its launcher so that a warp touches 4. The check counts sectors on the CPU, by a model of what ncu counts on a
GPU.
"""

import torch

from grader.checks import check, device, last_element, launchers, limits, many, work_is_divided

MINUTES = 15
FAILS = "each load of a warp touches 16 sectors of device memory, at most 4 allowed"


def run(mine):
    launch = launchers(mine / "negate.cu").launch_negate

    def negate(matrix):
        result = torch.empty_like(matrix)
        launch(result, matrix, *matrix.shape)
        return result

    def inputs(n):
        return (torch.randint(-99, 99, (n, n + 2), device=device).float(),)

    check(negate, torch.neg, inputs, (0, 1, 2, 5, 15, 16, 17, 40), name="rows", any_n=True)
    matrix = torch.zeros(256, 64, device=device)
    limits(lambda: negate(matrix), sectors_per_request=4)
    work_is_divided(lambda: negate(matrix), 256 * 64)
    height, width = 2**17 + 3, 2**15 + 9
    result, matrix = many(height * width), many(height * width)
    if matrix is not None:
        matrix[: 2**21] = matrix[-2:] = 3  # an index of 32 bits leads to the first of these
        last_element(launch, result, matrix, height, width, expected=-3, where=f"{height} rows, {width} columns")
