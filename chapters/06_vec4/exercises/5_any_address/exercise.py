"""any address: head, float4 and tail, in place

scale.h says what the launcher does. No line of scale.cu is there yet.
"""

import torch

from grader.checks import Wrong, check, device, launchers, seen

MINUTES = 40
FAILS = "undefined reference to `launch_scale"


def run(mine):
    launch = launchers(mine / "scale.cu").launch_scale

    def scaled(x, before):
        """before ones, then 2 * x, which was at an address of before floats behind a multiple of 16 bytes"""
        memory = torch.cat((torch.ones(before, device=device), x))
        launch(memory[before:], 2.0, x.numel())
        return memory

    def reference(x, before):
        return torch.cat((torch.ones(before, device=device), 2 * x))

    def name(before):
        return f"x[{before}:] *= 2 (an index counts from x[0] on), n" if before else "x *= 2, n"

    for before in range(4):
        inputs = lambda n, before=before: (torch.randint(1, 9, (n,), device=device).float(), before)  # noqa: E731
        check(scaled, reference, inputs, sizes=(0, 1, 2, 3, 4, 5, 8, 11, 1000, 1025, 4099), name=name(before))
    for before in 0, 1:
        n = 4099
        rows = seen(lambda before=before, n=n: scaled(torch.ones(n, device=device), before))
        for kind in "load", "store":
            alone = sum(row.threads * row.width // 4 for row in rows if row.kind == kind and row.width < 16)
            if alone > 6:
                line = next(row.line for row in rows if row.kind == kind and row.width < 16)
                which = f"{name(before)} = {n}, scale.cu:{line}"
                raise Wrong(f"{which}: {alone} floats have a {kind} of their own, one by one, and 6 may")
    if rows:
        print(f"{'right':8}all but six floats go as float4")
