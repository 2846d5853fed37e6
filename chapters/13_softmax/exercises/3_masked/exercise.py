"""masked: find out where NaN comes from

masked.cu is an online softmax, right for rows of numbers. A row whose first elements are -infinity, as attention's masks
make them, becomes NaN. Find the cause of the first NaN.
"""

import re

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    last_element,
    launchers,
    many,
    refuse_32_bits,
    without_comments,
    work_is_divided,
)

MINUTES = 15
FAILS = "nan"


def run(mine):
    launch = launchers(mine / "masked.cu").launch_masked

    def softmax(x):
        out = torch.empty_like(x)
        launch(out, x, *x.shape)
        return out

    def numbers(n):
        return (torch.randn(2, n, device=device),)

    def masked(n):
        x = torch.randn(2, n, device=device)
        x[:, : n // 2] = -torch.inf
        return (x,)

    def with_one(value):
        def rows(n):
            (x,) = numbers(n)
            x[0, n // 2] = value
            return (x,)

        return rows

    def all_of(value):
        return lambda n: (torch.full((1, n), value, device=device),)

    def reference(x):
        return torch.softmax(x.double(), 1).float()

    near = {"rtol": 1e-5, "atol": 1e-6}
    check(softmax, reference, numbers, (1, 2, 31, 33, 100, 5000), name="2 rows of n, n", **near)
    check(softmax, reference, masked, (2, 3, 33, 100), name="half of them masked, n", **near)
    check(softmax, reference, lambda n: (numbers(n)[0] - 500,), (3, 40), name="x - 500, n", **near)
    check(softmax, reference, lambda n: (numbers(n)[0] - 1e38,), (3, 40), name="x - 1e38, n", **near)
    check(softmax, reference, lambda n: (numbers(n)[0] - 3e38,), (3, 40), name="x - 3e38, n", **near)
    check(softmax, reference, lambda n: (numbers(n)[0] + 2000,), (3, 40), name="x + 2000, n", **near)
    check(softmax, reference, with_one(torch.nan), (3, 40), name="a NaN in one of 2 rows, n")
    check(softmax, reference, all_of(-torch.inf), (1, 40), name="all of them masked, n", **near)
    check(softmax, reference, with_one(torch.inf), (3, 40), name="an infinity in one of 2 rows, n")
    check(softmax, reference, all_of(torch.finfo().min), (1, 40), name="all the lowest number, -FLT_MAX, n", **near)
    work_is_divided(lambda: softmax(*numbers(512)), 3 * 2 * 512, "load", least=2 * 512, warps=2)
    work_is_divided(lambda: softmax(*numbers(512)), 2 * 512, warps=2)
    x = torch.randn(40, 20, device=device)
    work_is_divided(lambda: softmax(x), 3 * 40 * 20, "load", least=40 * 20, warps=40)  # a warp for each row
    refuse_32_bits(mine / "masked.cu")
    rows, n = 2**30 + 3, 4
    x, out = many(rows * n), many(rows * n)
    if x is not None:
        x[-1] = 300
        last_element(launch, out, x, rows, n, expected=1, where=f"{rows} rows of {n}")
    text = without_comments(mine / "masked.cu")
    kind, other = "(?:int|unsigned|unsigned int|u?int32_t)", "[^;%<>=&?]*"
    if found := re.search(rf"\b{kind}>?\)?\(?\s*\b[in]\b|\b{kind} +\w+ *={other}\b[in]\b{other};", text):
        line = text.count("\n", 0, found.start()) + 1
        raise Wrong(f"masked.cu:{line}: a number has 32 bits here, and n has 64")
