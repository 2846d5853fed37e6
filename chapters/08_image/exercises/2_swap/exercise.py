"""swap: exchange red and blue within a word

Each pixel has four bytes, B, G, R and A. The kernel loads four pixels at once; you swap the red and the blue byte of one.
The check draws which bytes of which pixel are wrong.
"""

import torch

from grader.checks import check, device, last_element, launchers, many, work_is_divided

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

    sizes = 0, 4, 8, 1020, 1024, 1028
    check(swap, lambda bgra: bgra[:, [2, 1, 0, 3]], inputs, sizes, any_n=16)  # a thread has 16 bytes
    work_is_divided(lambda: swap(*inputs(1024)), 4096, itemsize=1, warps=8)
    n = 2**34 + 4  # a number of words that has more than 32 bits
    rgba, bgra = many(4 * n, torch.uint8), many(4 * n, torch.uint8)
    if bgra is not None:
        bgra[:1000], bgra[-4:] = 5, torch.tensor([1, 2, 3, 4])  # an index of 32 bits leads to the first of these
        last_element(launch, rgba, bgra, n, expected=4, where=f"n = {n}", threads=n // 4)
