"""histogram: no two lanes of a warp add to one count

Where all elements are equal, 32 lanes of a warp add to one address, one after another.
"""

import torch

from grader.checks import check, device, launchers, limits, shared_out

MINUTES = 20
FAILS = "32 lanes of a warp change one address in device memory"


def run(mine):
    launch = launchers(mine / "histogram.cu").launch_histogram

    def histogram(x):
        counts = torch.zeros(256, dtype=torch.int32, device=device)
        launch(counts, x, x.numel())
        return counts

    def inputs(n, values=3):
        return ((torch.arange(n, device=device) % values + torch.randint(9, ())).to(torch.uint8),)

    def reference(x):
        return torch.bincount(x, minlength=256).int()

    check(histogram, reference, inputs, (0, 1, 2, 4, 31, 32, 33, 300))
    check(histogram, reference, lambda n: inputs(n, 200), (300,), name="200 values, n")
    limits(lambda: histogram(torch.full((320,), 7, dtype=torch.uint8, device=device)), lanes_at_one_address=1)
    limits(lambda: histogram(*inputs(320)), lanes_at_one_address=1)
    shared_out(lambda: histogram(*inputs(320)), 2 * 320, kind="load")  # a thread may load its element twice
