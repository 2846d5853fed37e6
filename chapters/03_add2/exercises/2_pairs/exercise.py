"""pairs: write a kernel that broadcasts, and its launcher

Write all of pairs.cu that is missing: out[r][c] = a[r] + b[c], which is a[:, None] + b in torch. pairs.h declares the launcher
and says what it does.
"""

import contextlib

import torch

from grader.checks import check, device, last_element, launchers, many, refuse_lost, work_is_divided
from grader.launchers import TooFewThreads

MINUTES = 20
FAILS = "undefined reference to `launch_pairs"


def run(mine):
    launch = launchers(mine / "pairs.cu").launch_pairs

    def pairs(a, b):
        out = torch.empty(a.numel(), b.numel(), device=device)
        launch(out, a, b, a.numel(), b.numel())
        return out

    def inputs(columns):
        return lambda rows: (100.5 * torch.arange(rows, device=device), torch.arange(columns, device=device) / -4)

    def reference(a, b):
        return a[:, None] + b

    sizes = (0, 1, 2, 3, 33, 300)
    check(pairs, reference, inputs(3), sizes, name="3 columns, rows", any_n=True)
    check(pairs, reference, inputs(0), sizes, name="no columns, rows")
    work_is_divided(lambda: pairs(*inputs(40)(40)), 1600)
    check(pairs, reference, inputs(300), sizes, name="300 columns, rows")
    check(pairs, reference, inputs(1), (70_000,), name="1 column, rows")
    rows, columns = 2**17 + 3, 2**15 + 9
    a, b = torch.full((rows,), 2.0, device=device), torch.full((columns,), 5.0, device=device)
    a[-1], b[-1] = 7, 3  # a place of 32 bits leads to another one
    out = many(rows * columns)
    last_element(launch, out, a, b, rows, columns, expected=10, where=f"{columns} columns, rows = {rows}")
    if out is not None:
        n = 3 * 2**32 + 1  # no float has this value
        args = many(n), many(n), torch.zeros(1), n, 1
        with contextlib.suppress(TooFewThreads):  # last_element() has looked at a grid that stops growing
            refuse_lost(lambda: launch(*args, threads=n // 2, only_first=True), n, f"1 column, rows = {n}:")
