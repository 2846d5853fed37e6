"""swap: red and blue change places within a word

The pixels have four bytes, B, G, R and A. The kernel loads four pixels at once; you move the bytes of one.
"""

import torch

from common.exercises import check, device, launchers

MINUTES = 15
HINTS = [
    "The first byte in memory, blue, is the lowest of the word: `pixel & 255`. Red is the third: `(pixel >> 16) & 255`.",
    "Green and alpha stay where they are: `pixel & 0xff00ff00` has these two, and 0 in the other bytes.",
    "`|` joins three words: that of green and alpha, red as the lowest byte, and blue 16 bits further up.",
]
FAILS = "wrong result"
WRONG = {
    "highest_byte_first": (
        "wrong result",
        {
            "swap.cu": [
                (
                    "0xff00ff00) | ((pixel >> 16) & 255) | ((pixel & 255",
                    "0x00ff00ff) | ((pixel >> 16) & 0xff00) | ((pixel & 0xff00",
                )
            ]
        },
    ),
    "alpha_forgotten": ("wrong result", {"swap.cu": [("0xff00ff00", "0xff00")]}),
    "blue_remains": ("wrong result", {"swap.cu": [("(pixel & 0xff00ff00)", "pixel")]}),
}


def run(mine):
    launch = launchers(mine / "swap.cu").launch_swap

    def swap(bgra):
        rgba = torch.empty_like(bgra)
        launch(rgba, bgra, len(bgra))
        return rgba

    def inputs(n):
        return (torch.randint(0, 256, (n, 4), dtype=torch.uint8, device=device),)

    check(swap, lambda bgra: bgra[:, [2, 1, 0, 3]], inputs, sizes=(0, 4, 8, 1020, 1024, 1028))
