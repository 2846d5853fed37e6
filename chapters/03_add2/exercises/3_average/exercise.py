"""average: find the data race, and mend it

The result is often right. The check says which two threads use the same element, and on which lines.
"""

import torch

from grader.checks import check, device, launchers, shared_out

MINUTES = 20
FAILS = "data race"


def run(mine):
    launch = launchers(mine / "average.cu").launch_average

    def average(a, b):
        total, out = torch.empty_like(a), torch.empty_like(a)
        launch(out, total, a, b, a.numel())
        return total, out

    def reference(a, b):
        total = a + b
        return total, (total + total.roll(-1)) / 2

    def inputs(n):
        return torch.randint(-9, 9, (n,), device=device).float(), torch.randint(-9, 9, (n,), device=device).float()

    check(average, reference, inputs, outputs=("sum", "out"))
    shared_out(lambda: average(*inputs(1000)), 2 * 1000)
