"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Three loops over values, and warp_max() and warp_sum() between them: the maximum, the sum of the exponentials, the "
    "results.",
    "The exponentials are needed for the sum alone: values must still hold x[i] in the last loop.",
    "log(exp(x - max) / sum) is x - max - log(sum). The first form is -infinity where exp() is 0 in float, at x - max < -104.",
]
WRONG = {
    "sum_of_a_lane": ("wrong result", {"log_softmax.cu": [("warp_sum(sum)", "sum")]}),
    "logarithm_of_the_quotient": (
        "-inf",
        {
            "log_softmax.cu": [
                (
                    "const float shift = max + logf(warp_sum(sum));\n    for (float& value : values) value -= shift;",
                    "sum = warp_sum(sum);\n    for (float& value : values) value = logf(expf(value - max) / sum);",
                )
            ]
        },
    ),
    "no_maximum": (
        "wrong result",
        {
            "log_softmax.cu": [
                (
                    "float max = -INFINITY, sum = 0;\n"
                    "    for (const float value : values) max = fmaxf(max, value);\n"
                    "    max = warp_max(max);",
                    "float max = 0, sum = 0;",
                )
            ]
        },
    ),
    "values_overwritten": (
        "wrong result",
        {"log_softmax.cu": [("const float value : values) sum +", "float& value : values) sum += value ")]},
    ),
}
