"""mean: find out why a second row is wrong

mean.cu is right for the first row of each cluster. Later rows are wrong, or the kernel never ends. Find out why.
"""

import os

import torch

from grader.checks import Wrong, check, device, launchers
from grader.launchers import threads_launched

MINUTES = 20
FAILS = "more rows of 130"
CAPABILITY = "9.0"


def run(mine):
    os.environ.setdefault("CUDA_ON_CPU_TIMEOUT", "1")  # seconds after which a kernel that hangs is ended
    launch = launchers(mine / "mean.cu").launch_mean

    def mean(x):
        out = torch.empty(len(x), device=device)
        launch(out, x, *x.shape)
        return out

    def inputs(rows, n=130):
        return (torch.randint(1, 99, (rows, n), device=device).float(),)

    check(mean, lambda x: x.mean(1), inputs, (0, 1, 2), name="rows of 130, rows", rtol=1e-5, atol=1e-5)
    check(mean, lambda x: x.mean(1), inputs, (3, 4, 5, 8, 11, 40), name="more rows of 130, rows", rtol=1e-5, atol=1e-5)
    mean(*inputs(200))
    if (blocks := threads_launched() // 32) > 2 * 4:
        raise Wrong(
            f"200 rows: {blocks} blocks, expected: CLUSTERS = 2 clusters of 4, so that each goes from row to row"
        )
    check(mean, lambda x: x.mean(1), lambda rows: inputs(rows, 4), (200,), name="rows of 4, rows", rtol=1e-5, atol=1e-5)
    check(mean, lambda x: x.mean(1), lambda n: inputs(9, n), (1, 4, 1000), name="9 rows of n, n", rtol=1e-5, atol=1e-5)
