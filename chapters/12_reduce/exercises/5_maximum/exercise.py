"""maximum: write a reduction that the last block finishes

Write max(x) the way last_block computes a sum, in one kernel. As in torch, one NaN makes the result NaN.
"""

import os

import torch

from grader.checks import Wrong, check, device, found_by_cuda, launchers, many, work_is_divided

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
    work_is_divided(lambda: maximum(*negative(1000)), 1000 + 3, "load", least=1000, warps=6)  # and 3 partial results
    check(maximum, lambda x: x.max(), with_nan, (1, 2, 33, 65, 300), name="one NaN, n")
    check(maximum, lambda x: x.max(), infinite, (1, 300), name="all -infinity, n")
    # More partial results than a block has threads, the largest of which is the last.
    check(
        lambda x: maximum(x, 70),
        lambda x: x.max(),
        lambda n: (torch.arange(n, device=device).float(),),
        (70 * 64,),
        name="70 blocks, so 70 partial results for a block of 64 threads, n",
    )
    of_many(launch)


def of_many(launch):
    """The last blocks of a grid with a thread for each of more than 2^31 elements, and of more than 2^32."""
    os.environ["CUDA_REVERSE"] = "0"
    for blocks in 2**25 + 1, 2**26 + 1:
        n = 64 * blocks
        x, partial = many(n), many(blocks)
        if partial is None:
            return
        x[-1] = 3
        said = f"{blocks} blocks, n = {n}"
        try:
            launch(
                torch.zeros(()), x, n, partial, torch.zeros(1, dtype=torch.uint32), blocks, threads=n, only_last=True
            )
        except RuntimeError as error:
            raise Wrong(
                f"{said}: {found_by_cuda(error)}\nHow many bits has each number that counts elements?"
            ) from None
        if partial[-1] != 3:
            raise Wrong(
                f"{said}: the last block writes {partial[-1].item():g} to partial[{blocks - 1}], expected 3, "
                f"which is x[{n - 1}]\nHow many bits has each number that counts elements?"
            )
        print(f"{'right':8}{said}")
