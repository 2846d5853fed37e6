"""triple: fix a kernel that is right for some sizes only

triple.cu multiplies each element by 3, but is wrong for an n that is not a multiple of 128: the mistake is in the kernel, in
its launcher, or in both. Each element keeps a thread of its own. The check begins with the small sizes.
"""

import torch

from grader.checks import check, device, last_element, launchers, many, work_is_divided

MINUTES = 10
FAILS = "invalid configuration"


def run(mine):
    launch = launchers(mine / "triple.cu").launch_triple

    def triple(x):
        out = torch.empty_like(x)
        launch(out, x, x.numel())
        return out

    check(triple, lambda x: 3 * x, lambda n: (torch.randint(-(2**61), 2**61, (n,), device=device),))
    work_is_divided(lambda: triple(torch.zeros(1000, dtype=torch.int64, device=device)), 1000, itemsize=8)
    n = 2**32 + 10
    out, x = many(n, torch.int64), many(n, torch.int64)
    if x is not None:
        x[:1000], x[-1] = 5, 2  # an index of 32 bits leads to the first of these
        last_element(launch, out, x, n, expected=6, where=f"n = {n}", may_loop=False)
