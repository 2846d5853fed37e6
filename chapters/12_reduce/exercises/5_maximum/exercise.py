"""maximum: write a reduction that the last block finishes

Write max(x) the way last_block computes a sum, in one kernel. As in torch, one NaN makes the result NaN.
"""

import os

import torch

from grader.checks import Wrong, check, device, found_by_cuda, launchers, many, work_is_divided
from grader.launchers import refuse_launch

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
        x[torch.randint(n, ())] = -torch.nan if n % 2 else torch.nan  # of both signs
        return (x,)

    def large(n):
        x = 1e38 * torch.randn(n, device=device)
        x[n // 2] = torch.inf if n % 2 else 3e38
        return (x,)

    def infinite(n):
        return (torch.full((n,), -torch.inf, device=device),)

    check(maximum, lambda x: x.max(), negative, (1, 2, 3, 31, 33, 64, 65, 192, 1000))
    work_is_divided(lambda: maximum(*negative(1000)), 1000 + 3, "load", least=1000, warps=6)  # and 3 partial results
    check(maximum, lambda x: x.max(), with_nan, (1, 2, 33, 65, 300), name="one NaN, n")
    check(maximum, lambda x: x.max(), infinite, (1, 300), name="all -infinity, n")
    check(maximum, lambda x: x.max(), large, (1, 2, 65, 300), name="large numbers, and +infinity, n")
    if refuse_launch(2, lambda: maximum(*negative(300))):
        raise Wrong("maximum.cu launches two kernels, expected: one, which the last block finishes")
    # More partial results than a block has threads, the largest of which is the last.
    check(
        lambda x: maximum(x, 300),
        lambda x: x.max(),
        lambda n: (torch.arange(n, device=device).float(),),
        (300 * 64,),
        name="300 blocks, so 300 partial results for a block of 64 threads, n",
    )
    of_many(launch)


def of_many(launch):
    """The last blocks of a grid for more than 2^31 elements, and for more than 2^32.

    Where a thread takes several elements at a time, the last blocks may have none of 64 times as many, and -infinity.
    Of 256 times as many, the last block has the last element."""
    os.environ["CUDA_REVERSE"] = "0"
    for blocks, each in (2**25 + 1, 64), (2**26 + 1, 64), (2**24 + 1, 256):
        n = each * blocks
        x, partial = many(n), many(blocks)
        if partial is None:
            return
        x[-1] = 3
        said = f"{blocks} blocks, n = {n}"
        try:
            launch(
                torch.zeros(()),
                x,
                n,
                partial,
                torch.zeros(1, dtype=torch.uint32),
                blocks,
                threads=64 * blocks,
                only_last=True,
            )
        except RuntimeError as error:
            raise Wrong(
                f"{said}: {found_by_cuda(error)}\nHow many bits has each number that counts elements?"
            ) from None
        if partial[-1] != 3 and not (each == 64 and partial[-1] == -torch.inf):
            raise Wrong(
                f"{said}: the last block writes {partial[-1].item():g} to partial[{blocks - 1}], expected 3, "
                f"which is x[{n - 1}]\nHow many bits has each number that counts elements?"
            )
        print(f"{'right':8}{said}")
