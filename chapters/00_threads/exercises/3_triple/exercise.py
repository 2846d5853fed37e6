"""triple: mend what is right for some sizes only

The kernel, or the launcher, or both are wrong for an n that is no multiple of 128. The check begins with small ones.
"""

import torch

from grader.checks import check, device, launchers, shared_out

MINUTES = 10
FAILS = "invalid configuration"


def run(mine):
    launch = launchers(mine / "triple.cu").launch_triple

    def triple(x):
        out = torch.empty_like(x)
        launch(out, x, x.numel())
        return out

    check(triple, lambda x: 3 * x, lambda n: (torch.randint(-9, 9, (n,), device=device),))
    shared_out(lambda: triple(torch.zeros(1000, dtype=torch.int64, device=device)), 1000)
