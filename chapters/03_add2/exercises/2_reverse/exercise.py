"""reverse: write a kernel and its launcher

reverse.h says what the launcher does. No line of reverse.cu is there yet.
"""

import torch

from common.exercises import check, device, launchers

MINUTES = 20
HINTS = [
    "The launcher is that of add2.cu with other names. It returns for n = 0, launches blocks_for(n, 256) blocks of 256 "
    "threads on the stream, and ends with CHECK_LAUNCH().",
    "Give each thread one element of out, number i of the grid. It reads element n - 1 - i of in, if i < n.",
    "For n = 3, out[0] is in[2], out[1] is in[1], out[2] is in[0].",
]
FAILS = "undefined reference to `launch_reverse"
WRONG = {
    "one_beside": ("in[1] at reverse.cu", {"reverse.cu": [("1 - i", "i")]}),
    "no_bounds_check": ("out of bounds", {"reverse.cu": [("if (i < n) out", "out")]}),
    "empty_grid": ("invalid configuration", {"reverse.cu": [("    if (n == 0) return;\n", "")]}),
}


def run(mine):
    launch = launchers(mine / "reverse.cu").launch_reverse

    def reverse(x):
        out = torch.empty_like(x)
        launch(out, x, x.numel())
        return out

    check(reverse, lambda x: x.flip(0), lambda n: (10 * torch.randperm(n, device=device).float(),))
