"""in_step: fix a tree from before 2017

in_step.cu adds the last 32 sums as programs did before 2017: it takes for granted that the lanes of a warp run in step. The
check names two lanes that use one element in no order. Fix the last levels.
"""

import os

import torch

from grader.checks import Wrong, check, device, launchers, many, seen, work_is_divided

MINUTES = 15
FAILS = "data race"


def run(mine):
    launch = launchers(mine / "in_step.cu").launch_in_step

    def sums(x):
        out = torch.empty(x.shape[0], device=device)
        launch(out, x, x.shape[0])
        return out

    def inputs(n):
        return (torch.randint(-40, 99, (n, 256), device=device) / 4,)

    def with_nan(n):
        (x,) = inputs(n)
        x[-1, torch.randint(256, ())] = 1e30
        x[0, torch.randint(256, ())] = torch.nan
        return (x,)

    check(sums, lambda x: x.sum(1), inputs, (0, 1, 3), name="blocks")
    check(sums, lambda x: x.sum(1), with_nan, (1, 3), name="a NaN, or 1e30, blocks")
    work_is_divided(lambda: sums(*inputs(4)), 4 * 256, "load")
    for row in seen(lambda: sums(*inputs(4))):
        if (row.space, row.kind) == ("shared", "load") and row.requests > 4 * 8 and row.threads_per_request < 4:
            lanes = row.threads_per_request
            who = "one lane alone adds" if lanes == 1 else f"on average {lanes:.2g} lanes add"
            raise Wrong(f"in_step.cu:{row.line}: {who} what 32 lanes could add in five steps")
    last_block(launch)


def last_block(launch):
    """The last blocks alone, of more than 2^32 elements."""
    blocks = 2**24 + 1
    x, sums = many(256 * blocks), many(blocks)
    if sums is None:
        return
    x[-256:] = 0.5
    os.environ["CUDA_REVERSE"] = "0"
    launch(sums, x, blocks, threads=256 * blocks, only_last=True)
    if sums[-1] != 128:
        raise Wrong(
            f"{blocks} blocks, {x.numel()} elements: the last sum is {sums[-1].item():g}, expected 128\n"
            "How many bits has each number that an index is computed from?"
        )
    print(f"{'right':8}{blocks} blocks")
