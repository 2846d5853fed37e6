"""range: exchange two numbers between the blocks of a cluster

Each block knows the smallest and the largest element of its part of a row. Complete the exchange between the blocks of a
cluster, so that the row's smallest and largest element are found.
"""

import torch

from grader.checks import Wrong, check, device, launchers, refuse_32_bits, without_comments, work_is_divided

MINUTES = 20
FAILS = "wrong result"
CAPABILITY = "9.0"


def run(mine):
    launch = launchers(mine / "range.cu").launch_range

    def both(x):
        out = torch.empty(len(x), 2, device=device)
        launch(out, x, *x.shape)
        return out

    def reference(x):
        return torch.stack((x.amin(1), x.amax(1)), 1)

    def inputs(n):
        return (torch.randint(-99, 99, (3, n), device=device) / 4,)

    def wide(n):
        x = (torch.rand(5, n, device=device) - 0.5) * 2 * 3e38
        x[0, 32:], x[1, 32:] = -torch.inf, torch.inf  # what other blocks than the first find
        return (x,)

    check(both, reference, inputs, (1, 2, 4, 7, 128, 1000), name="3 rows of n, n")
    check(both, reference, wide, (1, 128), name="5 rows of large numbers and infinities, n")
    (x,) = inputs(1024)
    work_is_divided(lambda: both(x), x.numel(), "load", warps=3 * 4)
    if "atomic" in without_comments(mine / "range.cu"):
        raise Wrong("no atomic operation is needed: each block can read what the others have found")
    refuse_32_bits(mine / "range.cu")
