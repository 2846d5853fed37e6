"""warps: make one atomic addition for each warp

warps.cu makes an atomic addition for each element. Let the lanes of a warp add first, so that there is one atomic addition
for each warp.
"""

import torch

from grader.checks import Wrong, check, device, launchers, limits, refuse_activemask, seen, work_is_divided

MINUTES = 15
FAILS = "lanes of a warp change one address"


def run(mine):
    launch = launchers(mine / "warps.cu").launch_warps

    def total(x):
        out = torch.zeros((), device=device)
        launch(out, x, x.numel())
        return out

    def inputs(n):
        return (torch.randint(1, 9, (n,), device=device).float(),)

    check(total, lambda x: x.sum(), inputs, (0, 1, 2, 31, 32, 33, 127, 128, 300))
    limits(lambda: total(*inputs(512)), lanes_at_one_address=1)
    work_is_divided(lambda: total(*inputs(512)), 512, kind="load")
    atomics = [row for row in seen(lambda: total(*inputs(512))) if row.kind == "atomic"]
    if (count := sum(row.threads for row in atomics)) > 16:
        where = " ".join(f"warps.cu:{row.line}" for row in atomics)
        raise Wrong(f"{where}: {count} atomic additions for 512 elements, expected: one for each of the 16 warps")
    refuse_activemask(mine / "warps.cu")
