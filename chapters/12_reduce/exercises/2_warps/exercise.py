"""warps: make one atomic addition for each warp

warps.cu makes an atomic addition for each element. Let the lanes of a warp add first, so that there is one atomic addition
for each warp.
"""

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    launchers,
    limits,
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

    def with_nan(n):
        (x,) = inputs(n)
        x[n // 2] = torch.nan
        return (x,)

    check(total, lambda x: x.sum(), inputs, (0, 1, 2, 31, 32, 33, 127, 128, 300))
    check(lambda x: total(x, 5.0), lambda x: 5 + x.sum(), inputs, (33,), name="a total of 5 before, n")
    check(total, lambda x: x.sum(), with_nan, (1, 40), name="one NaN, n")
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
    refuse_32_bits(mine / "warps.cu")
