"""squares: write your first kernel and its launcher

Fill an array with the squares 0, 1, 4, 9 and so on. The kernel gives each thread one element; the launcher chooses how many
blocks start. squares.h declares the launcher.
"""

import torch

from grader.checks import check, device, last_element, launchers, many, work_is_divided

MINUTES = 15
FAILS = "undefined reference to `launch_squares"


def run(mine):
    launch = launchers(mine / "squares.cu").launch_squares

    def squares(n):
        out = torch.empty(n, dtype=torch.int64, device=device)
        launch(out, n, threads=n)
        return out

    def reference(n):
        return torch.arange(n, device=device) ** 2

    check(squares, reference, lambda n: (n,), (0, 1, 3, 32, 255, 256, 257))
    work_is_divided(lambda: squares(1000), 1000, itemsize=8)
    check(squares, reference, lambda n: (n,), (70000,), any_n=True)
    n = 2**31 + 10
    last_element(launch, many(n, torch.int64), n, expected=(n - 1) ** 2, where=f"n = {n}", may_loop=False)
