"""swap: exchange red and blue within a word

Each pixel has four bytes, B, G, R and A. The kernel loads four pixels at once; you swap the red and the blue byte of one.
The check draws which bytes of which pixel are wrong.
"""

import torch

from grader.checks import check, device, launchers

MINUTES = 15
FAILS = "wrong result"


def run(mine):
    launch = launchers(mine / "swap.cu").launch_swap

    def swap(bgra):
        rgba = torch.empty_like(bgra)
        launch(rgba, bgra, len(bgra))
        return rgba

    def inputs(n):
        return (torch.randint(0, 256, (n, 4), dtype=torch.uint8, device=device),)

    check(swap, lambda bgra: bgra[:, [2, 1, 0, 3]], inputs, sizes=(0, 4, 8, 1020, 1024, 1028))
