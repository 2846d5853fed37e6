"""row_sum: sum each long row with a cluster

Write the kernel that sums each long row with a cluster: eight blocks share a row. The launch is there.
"""

import os
import re

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    found_by_cuda,
    launchers,
    limits,
    many,
    orders,
    place,
    refuse_32_bits,
    without_comments,
    work_is_divided,
)

MINUTES = 40
FAILS = "never written"
CAPABILITY = "9.0"


def run(mine):
    launch = launchers(mine / "row_sum.cu").launch_row_sum

    def row_sum(x):
        sums = torch.empty(len(x), device=device)
        launch(sums, x, *x.shape)
        return sums

    def inputs(n):
        return (torch.randint(-40, 99, (3, n), device=device) / 4,)

    def with_nan(n):
        (x,) = inputs(n)
        x[:, n // 2] = torch.tensor([-torch.inf, torch.nan, 1e30], device=device)
        return (x,)

    check(row_sum, lambda x: x.sum(1), inputs, (0, 1, 2, 33, 1023, 1024, 1025, 20_000), name="3 rows of n, n")
    check(row_sum, lambda x: x.sum(1), lambda rows: (inputs(100)[0][:rows],), (0, 1, 2), name="rows of 100, rows")
    check(row_sum, lambda x: x.sum(1), with_nan, (1, 1024), name="rows with -infinity, NaN, 1e30, n")
    text = without_comments(mine / "row_sum.cu")
    if "atomic" in text:
        raise Wrong("no atomic operation is needed: a block can read what the others have found")
    (x,) = inputs(4096)
    work_is_divided(lambda: row_sum(x), x.numel(), kind="load")
    limits(lambda: row_sum(x), sectors_per_request=4)
    waits_for_readers(mine / "row_sum.cu", text)
    refuse_32_bits(mine / "row_sum.cu")
    last_row(launch)


def waits_for_readers(file, text):
    """Who arrives last at a barrier goes on first. In a copy of the file each barrier is there twice:
    then this is another block.
    """
    folder = place(file.parent) / "barrier"
    folder.mkdir(parents=True, exist_ok=True)
    text = text.replace(
        "__cluster_barrier_arrive()", "__cluster_barrier_arrive(); __cluster_barrier_wait(); __cluster_barrier_arrive()"
    )
    (folder / file.name).write_text(re.sub(r"([\w:()]+\.sync\(\));", r"\1; \1;", text))
    (folder / "row_sum.h").write_text((file.parent / "row_sum.h").read_text())
    for _ in orders():
        try:
            launchers(folder / file.name).launch_row_sum(
                torch.empty(3, device=device), torch.ones(3, 8, device=device), 3, 8
            )
        except RuntimeError as error:
            if "has returned" not in str(error):
                raise
            raise Wrong(
                "a block that returns takes its shared memory with it: does it wait until the others have read?"
            ) from None


def last_row(launch):
    """The last clusters alone, of a matrix with more than 2^32 elements."""
    n, rows = 130, 2**32 // 130 + 2
    x, sums = many(rows * n), many(rows)
    if sums is None:
        return
    x[-n:] = 1
    os.environ["CUDA_REVERSE"] = "0"
    said = f"{rows} rows of {n}"
    try:
        launch(sums, x, rows, n, threads=rows, only_last=True)
    except RuntimeError as error:
        raise Wrong(f"{said}: {found_by_cuda(error)}\n{BITS}") from None
    if sums[-1] != n:
        raise Wrong(f"{said}: the sum of the last row is {sums[-1].item():g}, expected {n}\n{BITS}")
    print(f"{'right':8}{said}")


BITS = "How many bits has each number that an index is computed from?"
