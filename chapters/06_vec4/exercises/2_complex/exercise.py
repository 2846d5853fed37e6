"""complex: multiply complex numbers with loads of 8 bytes

Two loads of 4 bytes give the same result, and touch each sector twice.
"""

import torch

from grader.checks import Wrong, check, device, drawn, launchers, seen

MINUTES = 15
FAILS = "? was never written"


def some(n):
    return torch.complex(*torch.randint(-9, 9, (2, n), device=device).float())


def run(mine):
    launch = launchers(mine / "multiply.cu").launch_multiply

    def multiply(a, b):
        out = torch.empty_like(a)
        launch(out, a, b, a.numel())
        return out

    check(multiply, lambda a, b: a * b, lambda n: (some(n), some(n)))
    rows = seen(lambda: multiply(some(1024), some(1024)))
    for row in rows:
        if row.sectors > row.least_sectors:
            raise Wrong(
                f"multiply.cu:{row.line}: a {row.kind} of {row.width} bytes a thread: a warp touches "
                f"{row.sectors_per_request:g} sectors, and {row.least_sectors_per_request:g} could hold its bytes\n"
                + drawn(row)
            )
    if rows:
        print("right   each load and store of a warp touches as few sectors as can be")
