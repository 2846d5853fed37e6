"""masked: find out where NaN comes from

Rows of numbers are right. A row whose first elements are -infinity, as attention's masks make them, becomes NaN.
"""

import torch

from common.exercises import check, device, launchers

MINUTES = 15
HINTS = [
    "Follow a lane whose first element is -infinity: what is before - max?",
    "-infinity - -infinity is NaN, and its exp, too. The maximum has to begin at a number that is no larger than any other.",
    "FLT_MIN is the smallest positive float, 1e-38. The lowest float is another one of <cfloat>.",
]
FAILS = "nan"
WRONG = {
    "smallest_positive": ("wrong result", {"masked.cu": [("-FLT_MAX", "FLT_MIN")]}),
    "some_low_number": ("x - 1e38, n = 3", {"masked.cu": [("-FLT_MAX", "-10000.0f")]}),
    "zero_for_nan": ("wrong result", {"masked.cu": [("FLT_MAX", "INFINITY"), ("= expf(", "= isnan(sum) ? 0 : expf(")]}),
    "all_masked_is_zero": (
        "wrong result",
        {"masked.cu": [("expf(x[i] - of_row) / sum", "sum > 0 ? expf(x[i] - of_row) / sum : 0")]},
    ),
}


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

    def nothing(n):
        return (torch.full((1, n), -torch.inf, device=device),)

    def reference(x):
        return torch.softmax(x.double(), 1).float()

    near = {"rtol": 1e-5, "atol": 1e-6}
    check(softmax, reference, numbers, (1, 2, 31, 33, 100), name="2 rows of n, n", **near)
    check(softmax, reference, masked, (2, 3, 33, 100), name="half of them masked, n", **near)
    check(softmax, reference, lambda n: (numbers(n)[0] - 500,), (3, 40), name="x - 500, n", **near)
    check(softmax, reference, lambda n: (numbers(n)[0] - 1e38,), (3, 40), name="x - 1e38, n", **near)
    check(softmax, reference, nothing, (1, 40), name="all of them masked, n", **near)
