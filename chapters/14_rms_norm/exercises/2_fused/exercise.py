"""fused: write the forward kernel of add_rms_norm

Write the forward kernel of add_rms_norm. A block takes a row, adds, sums up squares and writes two results. It reads each
element of x and residual once.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, many, seen, work_is_divided

MINUTES = 30
FAILS = "never written"
EPS = 1e-6


def reference(x, residual, weight, eps=EPS):
    sum = x + residual
    scale = torch.rsqrt(sum.double().square().mean(-1, keepdim=True) + eps)
    return (sum * scale * weight).float(), sum


def inputs(n, rows=3):
    return torch.randn(rows, n, device=device), torch.randn(rows, n, device=device), torch.randn(n, device=device)


def with_nan(n):
    x, residual, weight = inputs(n)
    x[0, n // 2], x[1, n // 2], x[2] = torch.nan, torch.inf, -residual[2]
    return x, residual, weight


def run(mine):
    launch = launchers(mine / "fused.cu").launch_fused

    def fused(x, residual, weight, eps=EPS):
        y, sum = torch.empty_like(x), torch.empty_like(x)
        launch(y, sum, x, residual, weight, *x.shape, eps)
        return y, sum

    check(fused, reference, inputs, (1, 2, 3, 33, 64, 100, 512), rtol=1e-4, atol=1e-5, name="3 rows of n, n",
          outputs=("y", "sum"))  # fmt: skip
    check(fused, reference, lambda n: (*inputs(n), 0.5), (3, 100), rtol=1e-4, atol=1e-5, name="eps = 0.5, 3 rows of n, n",
          outputs=("y", "sum"))  # fmt: skip
    check(fused, reference, with_nan, (3, 100), rtol=1e-4, atol=1e-5, name="a NaN, an infinity, a row of zeros, n",
          outputs=("y", "sum"))  # fmt: skip
    check(fused, reference, lambda rows: inputs(20, rows), (0, 1, 5, 40), rtol=1e-4, atol=1e-5, name="rows of 20, rows",
          outputs=("y", "sum"))  # fmt: skip
    rows = seen(lambda: fused(*inputs(512)))
    for kind, allowed, what in ("load", 3, "x, residual and weight"), ("store", 2, "y and sum"):
        touched = [row for row in rows if (row.space, row.kind) == ("global", kind)]
        count = sum(row.threads for row in touched) / 3 / 512
        if count > allowed:
            lines = " ".join(f"{row.file}:{row.line}" for row in touched)
            raise Wrong(
                f"the kernel makes {count:g} {kind}s for each element, and {allowed} are enough: {what}\n{lines}"
            )
        if touched:
            print(f"{'right':8}{count:g} {kind}s for each element")
    for row in rows:
        if row.kind == "load" and row.space == "global" and row.threads == row.requests:
            raise Wrong(f"fused.cu:{row.line}: {row.threads} loads, each by one lane alone: the other threads wait")
    for kind, each in ("load", 3), ("store", 2):
        work_is_divided(lambda: fused(*inputs(512)), 3 * each * 512, kind, least=3 * 2 * 512, warps=3 * 2)
    of_many(launch)


def of_many(launch):
    rows, n = 2**30 + 3, 4
    x, y, sum = (many(rows * n) for _ in range(3))
    if sum is not None:
        x[:1000] = 0.25  # an index of 32 bits leads to the first of these
        x[-n:] = 0.5
        ones = torch.ones(n)
        last_element(launch, y, sum, x, x, ones, rows, n, 3.0, expected=0.5, where=f"{rows} rows of {n}")
        if sum[-1] != 1:
            raise Wrong(f"{rows} rows of {n}: the last sum is {sum[-1]:g}, expected 1; how many bits has its index?")
