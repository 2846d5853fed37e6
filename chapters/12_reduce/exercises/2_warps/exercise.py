"""warps: one atomic addition for each warp

The kernel adds each element to the total. Let the lanes of a warp add first.
"""

import torch

from grader.checks import Wrong, check, device, launchers, limits, shared_out, without_comments

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
    shared_out(lambda: total(*inputs(512)), 512, kind="load")
    for number, line in enumerate(without_comments(mine / "warps.cu").splitlines(), 1):
        if "__activemask" in line:  # CUDA on CPU lets all lanes arrive
            raise Wrong(
                f"warps.cu:{number}: __activemask() gives the lanes that happen to be there together; on a GPU the others may "
                "come later, and their elements would be lost. Which lanes have to take part?"
            )
