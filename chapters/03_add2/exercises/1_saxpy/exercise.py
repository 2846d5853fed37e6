"""saxpy: complete a kernel whose grid is too small

The kernel computes out = factor * x + y, and its grid has at most two blocks of 256 threads. Each thread computes one element,
so all elements after the 512th are missing. Let each thread compute several.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, limits, many, refuse_32_bits, work_is_divided
from grader.launchers import threads_launched
from grader.report import show

MINUTES = 5
FAILS = "? was never written"


def run(mine):
    launch = launchers(mine / "saxpy.cu").launch_saxpy

    def saxpy(x, y, factor):
        out = torch.empty_like(x)
        launch(out, x, y, factor, x.numel())
        return out

    def inputs(n):
        x, y = (torch.randint(-9, 9, (2, n), device=device) / 4).unbind()
        return x.clone(), y.clone(), 2.0 + n % 3 / 2

    def reference(x, y, factor):
        return factor * x + y

    check(saxpy, reference, inputs)
    if threads_launched() > 512:
        raise Wrong(
            f"n = 4099: {threads_launched()} threads, expected: at most two blocks of 256, as the launcher had them"
        )
    work_is_divided(lambda: saxpy(*inputs(1000)), 1000, warps=16)
    limits(lambda: saxpy(*inputs(1024)), sectors_per_request=4)
    check(saxpy, reference, inputs, (2**17 + 1,))
    refuse_32_bits(mine / "saxpy.cu")
    x, out = many(n := 2**32 + 10), many(n)
    if x is not None:
        x[-1] = 3
        last_element(launch, out, x, x, 2.0, n, expected=9, where=f"n = {n}, in a grid as large", blocks=-(-n // 256))
    i = torch.arange(1024, device=device)
    curve = saxpy(torch.sin(i / 60), i / 256, 2.0)[::16].tolist()
    show(
        "your 2 * x + y, for a sine x and a line y: 512 threads, so the right half is their second element",
        *plot(curve),
    )


def plot(values, height=9):
    low, high = min(values), max(values)
    levels = [round((value - low) / (high - low) * (height - 1)) for value in values]
    middle = len(levels) // 2
    lines = ["".join("*" if at == level else " " for at in levels) for level in reversed(range(height))]
    return [f"{line[:middle]}|{line[middle:]}" for line in lines]
