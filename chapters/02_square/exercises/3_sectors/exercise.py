"""sectors: reach four sectors a request

The kernel is right, but each load and each store of a warp touches 16 sectors, where 4 could hold the 32 floats. Change the
kernel and its launcher so that a warp touches 4. The check counts sectors on the CPU, by a model of what ncu counts on a
GPU.
"""

import contextlib

import torch

from grader.checks import Wrong, check, device, last_element, launchers, limits, many, seen, work_is_divided
from grader.launchers import threads_launched

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
    height, width = 2**17 + 3, 2**15 + 9
    result, matrix = many(height * width), many(height * width)
    if matrix is not None:
        matrix[: 2**21] = matrix[-2:] = 3  # an index of 32 bits leads to the first of these
        last_element(launch, result, matrix, height, width, expected=-3, where=f"{height} rows, {width} columns")
        refuse_lost_rows(launch, 2**21, 16)


def refuse_lost_rows(launch, height, width):
    """More rows than a grid of 16 x 16 threads has: as an error, a loop or another grid, but not without a word."""
    n, stores = height * width, []
    with contextlib.suppress(RuntimeError):  # the launcher says that there is no such grid
        rows = seen(lambda: launch(many(n), many(n), height, width, threads=1, only_last=True))  # the last blocks
        stores = [row for row in rows if (row.space, row.kind) == ("global", "store")]
    once = sum(row.threads * row.width // 4 for row in stores) <= 32 * max((row.warps for row in stores), default=0)
    if stores and once and threads_launched() < n:
        raise Wrong(
            f"{height} rows, {width} columns: {n} elements, {threads_launched()} threads, and each computes one"
        )
