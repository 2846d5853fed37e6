"""any address: scale in place with a head, float4 and a tail

Write the kernel and the launcher of x *= factor, in place, at any address; scale.h declares the launcher, and scale.cu has
only its includes. All floats except at most six go as float4.
"""

import itertools
import re

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    last_element,
    launchers,
    many,
    seen,
    without_comments,
    work_is_divided,
)
from grader.launchers import threads_launched

MINUTES = 40
FAILS = "undefined reference to `launch_scale"


def run(mine):
    launch = launchers(mine / "scale.cu").launch_scale

    def scaled(x, before, factor=2.0):
        """before ones, then factor * x, which was at an address `before` floats past a multiple of 16 bytes"""
        memory = torch.cat((torch.ones(before, device=device), x))
        launch(memory[before:], factor, x.numel())
        return memory

    def reference(x, before, factor):
        return torch.cat((torch.ones(before, device=device), factor * x))

    def name(before):
        return f"x[{before}:] *= factor (an index counts from x[0] on), n" if before else "x *= factor, n"

    for before in range(4):
        inputs = lambda n, before=before: (torch.randint(1, 9, (n,), device=device).float(), before, 2.0 + n % 2)  # noqa: E731
        check(scaled, reference, inputs, sizes=(0, 1, 2, 3, 4, 5, 8, 11, 1000, 1025, 4099), name=name(before), any_n=4)
    special = torch.tensor([float("inf"), float("nan"), -0.0, 1e30, 1e-30], device=device)
    for factor in -2.7, 0.0:  # 0 * inf is NaN
        inputs = lambda n, f=factor: (torch.cat((special, torch.randn(n - 10, device=device), special)), 1, f)  # noqa: E731
        check(scaled, reference, inputs, sizes=(1000,), name=f"x[1:] *= {factor:g}, n")
    for before, n in itertools.product(range(4), (4099, 11)):
        rows = seen(lambda before=before, n=n: scaled(torch.ones(n, device=device), before))
        for kind in "load", "store":
            alone = sum(row.threads * row.width // 4 for row in rows if row.kind == kind and row.width < 16)
            if alone > 6:
                line = next(row.line for row in rows if row.kind == kind and row.width < 16)
                which = f"{name(before)} = {n}, scale.cu:{line}"
                raise Wrong(f"{which}: {alone} floats have a {kind} of their own, one by one, and 6 may")
    if rows:
        print(f"{'right':8}all but six floats go as float4")
    work_is_divided(lambda: scaled(torch.ones(4096, device=device), 0), 4096, warps=8)
    # The loop of a small grid takes too long to overflow in a run.
    loop = re.search(
        r"for \((int|unsigned|uint32_t) \w+ = [^;]*\bthread[^;]*;[^;%]*\bn\b", without_comments(mine / "scale.cu")
    )
    if loop:
        raise Wrong(f"scale.cu: {loop[0]}: this number has 32 bits, and n has 64: an n above 2^32 is never reached")
    small_grid = threads_launched() < 4096  # the last blocks of a grid with a thread for each float have no float4
    n = 2**34 + 8  # so that a float4 has a number of more than 32 bits
    x = many(n)
    if x is not None:
        if small_grid:
            x[:1000], x[-1] = 5, 3  # an index of 32 bits leads to the first of these
        last_element(launch, x, 2.0, n, expected=6, where=f"x *= 2, n = {n}", threads=n // 4)
