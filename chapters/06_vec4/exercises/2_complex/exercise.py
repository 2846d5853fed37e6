"""complex: multiply complex numbers, by 8-byte loads

Complete a kernel that multiplies complex numbers. Each number is a float2, loaded by one load of 8 bytes: two loads of 4
bytes touch each sector twice. (nvcc joins a[i].x and a[i].y into one load; do not rely on it.)
"""

import torch

from grader.checks import Wrong, check, device, drawn, last_element, launchers, many, seen, work_is_divided

MINUTES = 15
FAILS = "? was never written"


def some(n):
    return torch.complex(*torch.randint(-9, 9, (2, n), device=device).float())


def fractions(n, first):
    return torch.cat(
        (torch.tensor(first, device=device), torch.complex(*torch.randn(2, n - len(first), device=device)))
    )


def run(mine):
    launch = launchers(mine / "multiply.cu").launch_multiply

    def multiply(a, b):
        out = torch.empty_like(a)
        launch(out, a, b, a.numel())
        return out

    # One number lies in front of a, so a is no multiple of 16 bytes: two numbers are no float4.
    check(multiply, lambda a, b: a * b, lambda n: (some(n + 1)[1:], some(n)))
    special = [0, 1e30 + 1e-20j, 1 + 0j, complex("nan+1j")]  # 0 * nan is nan
    inputs = lambda n: (fractions(n, special), fractions(n, special[::-1]))  # noqa: E731
    check(multiply, lambda a, b: a * b, inputs, (260,), name="fractions, n")
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
    work_is_divided(lambda: multiply(some(1024), some(1024)), 1024, itemsize=8)
    n = 2**32 + 10
    out, a, b = (many(n, torch.complex64) for _ in range(3))
    if b is not None:
        a[:1000] = b[:1000] = 5  # an index of 32 bits leads to these
        a[-1] = b[-1] = 3
        last_element(launch, out, a, b, n, expected=9, where=f"n = {n}")
