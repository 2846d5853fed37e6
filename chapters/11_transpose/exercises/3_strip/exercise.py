"""strip: find two mistakes around a barrier

A block moves one tile after another. The kernel has one mistake at the edges of the matrix, and one between two tiles.
"""

import torch

from grader.checks import check, device, launchers

MINUTES = 15
FAILS = "? was never written"


def run(mine):
    launch = launchers(mine / "strip.cu").launch_strip

    def transpose(x):
        out = torch.empty(x.shape[1], x.shape[0], device=device)
        launch(out, x, *x.shape)
        return out

    def inputs(n):
        return (torch.arange(n, device=device)[:, None] * 100.0 + torch.arange(7, device=device),)

    check(transpose, lambda x: x.T.contiguous(), inputs, (0, 1, 2, 7, 32, 65), name="7 columns, rows")
    square = torch.rand(70, 70, device=device)
    check(
        transpose,
        lambda x: x.T.contiguous(),
        lambda n: (square[:n, :n].contiguous(),),
        (32, 33, 70),
        name="square, rows",
    )
