"""sectors: reach four sectors a request

The kernel is right, but each load and each store of a warp touches 16 sectors, where 4 could hold the 32 floats. Change the
kernel and its launcher so that a warp touches 4. The check counts sectors on the CPU, by a model of what ncu counts on a
GPU.
"""

import contextlib

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    last_element,
    launchers,
    limits,
    many,
    refuse_lost,
    seen,
    work_is_divided,
)

MINUTES = 15
FAILS = "each load of a warp touches 16 sectors of device memory, at most 4 allowed"


def run(mine):
    launch = launchers(mine / "negate.cu").launch_negate

    def negate(matrix):
        result = torch.empty_like(matrix)
        launch(result, matrix, *matrix.shape)
        return result

    def inputs(n):
        return (torch.randint(-99, 99, (n, n + 2), device=device) / 4,)

    sizes = (0, 1, 2, 5, 15, 16, 17, 40)
    check(negate, torch.neg, inputs, sizes, name="rows", any_n=True)
    check(negate, torch.neg, lambda n: (inputs(n)[0].view(n + 2, n),), sizes, name="columns")
    if not negate(torch.zeros(3, 5, device=device)).signbit().all():
        raise Wrong("of 0, -0 is expected, which is another number to 1 / x; yours 0")
    for width in 200, 64:
        matrix = torch.zeros(256, width, device=device)
        limits(lambda matrix=matrix: negate(matrix), sectors_per_request=4)
        for row in seen(lambda matrix=matrix: negate(matrix)):
            if 2 * row.bytes_used < row.bytes_fetched:
                used = f"{row.bytes_used / row.bytes_fetched:.0%}"
                raise Wrong(f"{row.file}:{row.line}: of the sectors, a {row.kind} uses {used}: too few lanes take part")
    work_is_divided(lambda: negate(matrix), 256 * 64)
    for height, width in (2**17 + 3, 2**15 + 9), (2**12 + 1, 2**20 + 9):
        result, matrix = many(height * width), many(height * width)
        if matrix is not None:
            matrix[: 2**21], matrix[-2:] = 5, 3  # an index of 32 bits leads to the first of these
            last_element(launch, result, matrix, height, width, expected=-3, where=f"{height} rows, {width} columns")
    if matrix is not None:
        height, width = 2**21, 16  # more rows than a grid of 16 x 16 threads has
        args = many(height * width), many(height * width), height, width
        said = f"{height} rows, {width} columns: {height * width} elements,"
        with contextlib.suppress(RuntimeError):  # the launcher says that there is no such grid
            refuse_lost(lambda: launch(*args, threads=2**20, only_first=True), height * width, said)
