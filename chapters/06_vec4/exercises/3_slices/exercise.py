"""slices: find the access that a GPU refuses, and mend it

The launcher takes the kernel with float4 where it should not. Whole tensors show nothing of it.
"""

import torch

from grader.checks import Wrong, check, device, launchers, seen

MINUTES = 10
FAILS = "misaligned"


def run(mine):
    launch = launchers(mine / "subtract.cu").launch_subtract

    def into(third):
        """c = z[third:]"""

        def subtract(a, b):
            c = torch.empty(third + a.numel(), device=device)[third:]
            launch(c, a, b, a.numel())
            return c

        return subtract

    def inputs(first, second):
        """a = x[first:], b = y[second:]"""

        def of(n):
            x, y = torch.randint(-9, 9, (2, n + 4), device=device).float().clone().unbind()
            return x.clone()[first : first + n], y.clone()[second : second + n]

        return of

    for first, second, third in (0, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (0, 2, 0), (1, 0, 0), (0, 0, 1), (1, 1, 1):
        parts = ("a = x", first), ("b = y", second), ("c = z", third)
        name = ", ".join(whole + f"[{begin}:]" * (begin > 0) for whole, begin in parts)
        check(into(third), torch.sub, inputs(first, second), sizes=(0, 1, 3, 4, 5, 8, 1027), name=f"{name}, n")
    for n in 4096, 4099:
        whole = inputs(0, 0)(n)
        rows = seen(lambda whole=whole: into(0)(*whole))
        single = [row for row in rows if row.width < 16]
        if (count := sum(row.threads for row in single)) > (expected := 3 * (n % 4)):
            where = " ".join(dict.fromkeys(f"subtract.cu:{row.line}" for row in single))
            every = sum(row.threads for row in rows)
            raise Wrong(
                f"{where}: whole tensors of {n} elements: {count} of {every} loads and stores take one float at a time, "
                f"expected: {expected}"
            )
