"""in_step: mend a tree from before 2017

The last levels take for granted that the lanes of a warp run in step. The check names two lanes that do not.
"""

import torch

from grader.checks import check, device, launchers

MINUTES = 15
FAILS = "data race"


def run(mine):
    launch = launchers(mine / "in_step.cu").launch_in_step

    def sums(x):
        out = torch.empty(x.shape[0], device=device)
        launch(out, x, x.shape[0])
        return out

    def inputs(n):
        return (torch.randint(1, 9, (n, 256), device=device).float(),)

    check(sums, lambda x: x.sum(1), inputs, (0, 1, 3), name="blocks")
