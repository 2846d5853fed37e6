"""window: let TMA copy a window of a matrix

Complete the kernel: one thread starts one TMA copy of 64 x 64 numbers, all threads wait for it, and each stores its pieces
of 16 bytes. The window may reach beyond the matrix.
"""

import torch

from grader.checks import Wrong, check, device, launchers, seen, without_comments, work_is_divided

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

    def fractions(n):
        return (torch.randn(n, 72, device=device).bfloat16(),)

    for where in (0, 0), (3, 16), (-5, -8), (40, 64):
        check(window, reference, inputs, (64, 100, 130, 1), name=f"window at row {where[0]}, column {where[1]}; rows")
    check(window, reference, fractions, (100,), name="fractions, window at row 40, column 64; rows")
    (x,) = inputs(100)
    for row in seen(lambda: window(x)):
        if (row.space, row.kind) == ("global", "load"):
            raise Wrong(
                f"{row.file}:{row.line}: threads load from device memory: TMA must do the copy, not the threads"
            )
    work_is_divided(lambda: window(x), 64 * 8, itemsize=16, warps=4)
    copies = without_comments(mine / "window.cu").count("tma_load(")
    if copies != 1:
        raise Wrong(f"{copies} tma_load(), expected: one, which copies the whole box")
