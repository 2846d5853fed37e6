"""average: find the data race, and fix it

average.cu adds two vectors and averages the neighbours of the sum. Its result is often right. The check names two threads
that use the same element in no order, and their lines; change the kernel and its launcher so that there is an order.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, many, seen, work_is_divided
from grader.report import count_of

MINUTES = 20
FAILS = "data race"


def run(mine):
    launch = launchers(mine / "average.cu").launch_average

    def average(a, b):
        total, out = torch.empty_like(a), torch.empty_like(a)
        launch(out, total, a, b, a.numel(), threads=a.numel())
        return total, out

    def reference(a, b):
        total = a + b
        return total, (total + total.roll(-1)) / 2

    def inputs(n):
        return torch.randint(-9, 9, (n,), device=device) / 4, torch.randint(-9, 9, (n,), device=device) / 4

    check(average, reference, inputs, outputs=("sum", "out"))
    work_is_divided(lambda: average(*inputs(1000)), 2 * 1000)
    for row in seen(lambda: average(*inputs(1000))):
        if (row.space, row.kind) == ("global", "store") and row.requests > row.warps:
            count = f"{row.requests} stores of {count_of(row.warps, 'warp')} for 1000 elements"
            raise Wrong(f"average.cu:{row.line}: {count}, expected: each element has a thread of its own")
    n = 2**32 + 10
    out, total, a, b = (many(n) for _ in range(4))
    if b is not None:
        total[:1000] = a[:1000] = b[-1] = 2  # an index of 32 bits leads to the first of these
        last_element(launch, out, total, a, b, n, expected=2, where=f"n = {n}", may_loop=False)
