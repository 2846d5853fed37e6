"""log_softmax: complete a kernel that keeps a row in registers

Complete log_softmax, which is x[i] - max - log(sum). A warp has its row in registers already; the arithmetic is missing.
"""

import torch

from grader.checks import check, device, last_element, launchers, many, work_is_divided

MINUTES = 20
FAILS = "wrong result"


def run(mine):
    launch = launchers(mine / "log_softmax.cu").launch_log_softmax

    def log_softmax(x):
        out = torch.empty_like(x)
        launch(out, x, *x.shape)
        return out

    def inputs(n, scale=3):
        return (scale * torch.randn(2, n, device=device),)

    def far_below(n):
        x = torch.tensor([[-1e38], [-3.2e38]], device=device)
        return (x - torch.tensor([[1e38], [2e37]], device=device) * torch.rand(2, n, device=device),)

    def alone(n):
        x = inputs(n)[0] - 300
        x[:, -1] = 0
        return (x,)

    def with_one(value):
        def rows(n):
            (x,) = inputs(n)
            x[0, n // 2] = value
            return (x,)

        return rows

    def reference(x):
        return torch.log_softmax(x.double(), 1).float()

    check(log_softmax, reference, inputs, (1, 2, 3, 32, 33, 100, 512), rtol=1e-5, atol=1e-5, name="2 rows of n, n")
    check(log_softmax, reference, lambda n: (inputs(n)[0] - 200,), (3, 33), rtol=1e-5, atol=1e-4, name="far below 0, n")
    check(log_softmax, reference, with_one(torch.nan), (3, 40), name="a NaN in one of 2 rows, n")
    work_is_divided(lambda: log_softmax(*inputs(512)), 2 * 512, "load", warps=2)
    check(log_softmax, reference, lambda n: inputs(n, 100), (3, 40), rtol=1e-5, atol=1e-4, name="large numbers, n")
    check(
        log_softmax,
        reference,
        lambda n: (torch.randn(n, 20, device=device),),
        (0, 5),
        rtol=1e-5,
        atol=1e-5,
        name="rows",
    )
    near = {"rtol": 1e-5, "atol": 1e-5}
    check(log_softmax, reference, far_below, (3, 33), name="below -1e38, n", **near)
    check(log_softmax, reference, with_one(torch.inf), (3, 40), name="an infinity in one of 2 rows, n", **near)
    check(log_softmax, reference, with_one(-torch.inf), (3, 40), name="a -infinity in one of 2 rows, n", **near)
    check(log_softmax, reference, lambda n: (inputs(n)[0] - torch.inf,), (3, 40), name="all -infinity, n", **near)
    check(log_softmax, reference, alone, (3, 40, 512), rtol=1e-5, atol=1e-7, name="one 0, the others around -300, n")
    work_is_divided(lambda: log_softmax(*inputs(512)), 2 * 512, warps=2)
    x = torch.randn(40, 20, device=device)
    work_is_divided(lambda: log_softmax(x), 40 * 20, "load", warps=40)  # a warp for each row
    rows, n = 2**30 + 3, 4
    x, out = many(rows * n), many(rows * n)
    if x is not None:
        x[-n] = 300
        last_element(launch, out, x, rows, n, expected=-300, where=f"{rows} rows of {n}")
