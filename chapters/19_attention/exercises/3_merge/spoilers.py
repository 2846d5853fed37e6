"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "exp(lse) is the sum of the exponentials of a half's scores. The result of a half was divided by it.",
    "So the halves have the weights exp(a_lse) and exp(b_lse), divided by the sum of both.",
    "exp(200) does not fit into a float: subtract the larger log-sum-exp from both first, as an online softmax does.",
    "Where both are -infinity, subtract 0 instead, and do not divide by a sum of 0.",
]
WRONG = {
    "the_mean": ("wrong result", {"merge.cu": [("(of_a * a[i] + of_b * b[i]) / sum", "(a[i] + b[i]) / 2")]}),
    "no_maximum": (
        "scores of hundreds",
        {"merge.cu": [("base = larger == -INFINITY ? 0 : larger;", "base = 0;"), ("= larger + logf", "= logf")]},
    ),
    "no_guard": ("no key in either", {"merge.cu": [("base = larger == -INFINITY ? 0 : larger;", "base = larger;")]}),
    "divides_by_0": ("no key in either", {"merge.cu": [("sum == 0 ? 0 : ", "")]}),
    "lse_without_the_maximum": ("wrong result", {"merge.cu": [("= larger + logf(sum)", "= logf(sum)")]}),
    "row_0_decides": (
        "in both halves, one or none",
        {
            "merge.cu": [
                (
                    "base = larger == -INFINITY ? 0 : larger",
                    "base = a_lse[0] == -INFINITY && b_lse[0] == -INFINITY ? 0 : larger",
                )
            ]
        },
    ),
    "base_at_least_minus_1000": (
        "log-sum-exps of -5000",
        {
            "merge.cu": [
                ("base = larger == -INFINITY ? 0 : larger", "base = fmaxf(larger, -1000.f)"),
                ("lse[row] = larger + logf(sum)", "lse[row] = base + logf(sum)"),
            ]
        },
    ),
}
