"""saxpy: complete a kernel whose grid is too small

The launcher starts at most two blocks, so a thread has to compute several elements.
"""

import torch

from grader.checks import check, device, launchers, limits, shared_out

MINUTES = 10
FAILS = "? was never written"


def run(mine):
    launch = launchers(mine / "saxpy.cu").launch_saxpy

    def saxpy(x, y):
        out = torch.empty_like(x)
        launch(out, x, y, 2.0, x.numel())
        return out

    def inputs(n):
        return torch.randint(-9, 9, (n,), device=device).float(), torch.randint(-9, 9, (n,), device=device).float()

    check(saxpy, lambda x, y: 2 * x + y, inputs)
    shared_out(lambda: saxpy(*inputs(1000)), 1000)
    limits(lambda: saxpy(*inputs(1024)), sectors_per_request=4)
