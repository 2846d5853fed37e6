"""window: let each query see only its last keys

window.cu is a small step simple, in float32 and without a scale: a warp takes a query. Change its bounds so that query i
sees only the keys i - width + 1 to i, and its warp loads no others.
"""

import torch

from grader.checks import check, device, launchers, work_is_divided

MINUTES = 25
FAILS = "wrong result"


def run(mine):
    launch = launchers(mine / "window.cu").launch_window

    def attention(width):
        def call(q, k, v):
            out = torch.empty_like(q)
            launch(out, q, k, v, len(q), width)
            return out

        return call

    def reference(width):
        def call(q, k, v):
            scores = q.double() @ k.double().T
            i = torch.arange(len(q), device=device)
            apart = i[:, None] - i
            return (scores.masked_fill((apart < 0) | (apart >= width), -torch.inf).softmax(-1) @ v.double()).float()

        return call

    def inputs(rows):
        return tuple(torch.randn(rows, 32, device=device) for _ in range(3))

    for width in 1000, 2**31 - 1, 40, 32, 1:
        check(attention(width), reference(width), inputs, (0, 1, 33, 100), name=f"a window of {width} keys, rows",
              rtol=1e-4, atol=1e-5)  # fmt: skip
    q, k, v = inputs(256)
    keys = sum(min(i + 1, 32) for i in range(256))
    most = 256 * 32 + 2 * keys * 32  # the queries, and the keys and values that each of them sees
    work_is_divided(lambda: attention(32)(q, k, v), most, "load", least=2 * 256 * 32, warps=8)
