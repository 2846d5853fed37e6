"""warps: make one atomic addition for each warp

warps.cu makes an atomic addition for each element. Let the lanes of a warp add first, so that there is one atomic addition
for each warp.
"""

import os

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    found_by_cuda,
    launchers,
    limits,
    many,
    refuse_32_bits,
    seen,
    work_is_divided,
)

MINUTES = 15
FAILS = "lanes of a warp change one address"


def run(mine):
    launch = launchers(mine / "warps.cu").launch_warps

    def total(x, before=0.0):
        out = torch.full((), before, device=device)
        launch(out, x, x.numel())
        return out

    def inputs(n):
        return (torch.randint(-40, 99, (n,), device=device) / 4,)

    def with_one(value):
        def numbers(n):
            (x,) = inputs(n)
            x[n // 2] = value
            return (x,)

        return numbers

    check(total, lambda x: x.sum(), inputs, (0, 1, 2, 31, 32, 33, 127, 128, 300))
    check(lambda x: total(x, 5.0), lambda x: 5 + x.sum(), inputs, (33,), name="a total of 5 before, n")
    for value in torch.nan, 3e38, -torch.inf:
        check(total, lambda x: x.sum(), with_one(value), (1, 40), name=f"one of them {value}, n")
    limits(lambda: total(*inputs(512)), lanes_at_one_address=1)
    work_is_divided(lambda: total(*inputs(2048)), 2048, kind="load")
    for n in 512, 500:  # the last of 16 warps has 20 elements
        rows = seen(lambda n=n: total(*inputs(n)))
        atomics = [row for row in rows if row.kind == "atomic"]
        count = sum(row.threads for row in atomics)
        where = "".join(f"warps.cu:{row.line}: " for row in atomics)
        if count > 16:
            raise Wrong(f"{where}{count} atomic additions for {n} elements, expected: one for each of the 16 warps")
        if rows and not count:
            raise Wrong(f"no atomicAdd() of {n} elements is seen, expected: one for each of the 16 warps")
    x = many(n := 2**32 + 3)
    if x is not None and os.environ.get("CHAPTERS_SANITIZE") != "address":
        x[-1] = 3
        out = torch.zeros((), device=device)
        try:
            launch(out, x, n, threads=n, only_last=True)
        except RuntimeError as error:
            raise Wrong(f"n = {n}: {found_by_cuda(error)}\nHow many bits has each number?") from None
        if out != 3:
            raise Wrong(
                f"n = {n}, the last element 3, the others 0: the sum is {out:g}; how many bits has each number?"
            )
        print(f"{'right':8}n = {n}")
    refuse_32_bits(mine / "warps.cu")
