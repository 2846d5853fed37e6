"""maximum: write a reduction that the last block finishes

The largest element, NaN where there is one, as torch.max has it.
"""

import torch

from grader.checks import check, device, launchers, shared_out

MINUTES = 40
FAILS = "? was never written"


def run(mine):
    launch = launchers(mine / "maximum.cu").launch_maximum

    def maximum(x, blocks=3):
        out, partial = torch.empty((), device=device), torch.empty(blocks, device=device)
        launch(out, x, x.numel(), partial, torch.zeros(1, dtype=torch.uint32, device=device), blocks)
        return out

    def negative(n):
        return (-1 - torch.randperm(n, device=device).float(),)

    def with_nan(n):
        (x,) = negative(n)
        x[torch.randint(n, ())] = torch.nan
        return (x,)

    def infinite(n):
        return (torch.full((n,), -torch.inf, device=device),)

    check(maximum, lambda x: x.max(), negative, (1, 2, 3, 31, 33, 64, 65, 192, 1000))
    shared_out(lambda: maximum(*negative(1000)), 1000 + 3, "load")  # and 3 partial results
    check(maximum, lambda x: x.max(), with_nan, (1, 2, 33, 65, 300), name="one NaN, n")
    check(maximum, lambda x: x.max(), infinite, (1, 300), name="all -infinity, n")
    # More partial results than a block has threads, the largest of which is the last.
    check(
        lambda x: maximum(x, 70),
        lambda x: x.max(),
        lambda n: (torch.arange(n, device=device).float(),),
        (70 * 64,),
        name="70 blocks, n",
    )
