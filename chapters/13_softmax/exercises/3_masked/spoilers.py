"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Follow a lane whose first element is -infinity: what is before - max?",
    "-infinity - -infinity is NaN, and its exp, too. The maximum has to begin at a number that is no larger than any other.",
    "FLT_MIN is the smallest positive float, 1e-38. The lowest float is another one of <cfloat>.",
]
WRONG = {
    "smallest_positive": ("wrong result", {"masked.cu": [("-FLT_MAX", "FLT_MIN")]}),
    "some_low_number": ("x - 1e38, n = 3", {"masked.cu": [("-FLT_MAX", "-10000.0f")]}),
    "zero_for_nan": ("wrong result", {"masked.cu": [("FLT_MAX", "INFINITY"), ("= expf(", "= isnan(sum) ? 0 : expf(")]}),
    "all_masked_is_zero": (
        "wrong result",
        {"masked.cu": [("expf(x[i] - of_row) / sum", "sum > 0 ? expf(x[i] - of_row) / sum : 0")]},
    ),
}
