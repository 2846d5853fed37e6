"""window: let TMA copy a window of a matrix

Complete the kernel: one thread starts one TMA copy of 64 x 64 numbers, all threads wait for it, and each stores its pieces
of 16 bytes. The window may reach beyond the matrix.
"""

import torch

from grader.checks import Wrong, check, device, launchers, without_comments

MINUTES = 20
FAILS = "window"
CAPABILITY = "9.0a"


def run(mine):
    launch = launchers(mine / "window.cu").launch_window
    where = (0, 0)

    def window(x):
        out = torch.empty(64, 64, dtype=x.dtype, device=device)
        launch(out, x, *x.shape, *where)
        return out

    def reference(x):
        row, column = where
        wide = torch.zeros(len(x) + 256, x.shape[1] + 256, dtype=x.dtype, device=device)
        wide[128 : 128 + len(x), 128 : 128 + x.shape[1]] = x
        return wide[128 + row : 192 + row, 128 + column : 192 + column].contiguous()

    def inputs(n):
        return (torch.randint(-99, 100, (n, 8 * (n // 8 + 1)), device=device).bfloat16(),)

    for where in (0, 0), (3, 16), (-5, -8), (40, 64):
        check(window, reference, inputs, (64, 100, 130, 1), name=f"window at row {where[0]}, column {where[1]}; rows")
    if "tma_load(" not in without_comments(mine / "window.cu"):
        raise Wrong("no tma_load(): TMA must do the copy, not the threads")
