"""log_softmax: complete a kernel that keeps a row in registers

A warp has loaded its row. What is missing is the arithmetic.
"""

import torch

from common.exercises import check, device, launchers

MINUTES = 20
HINTS = [
    "Three loops over values, and warp_max() and warp_sum() between them: the maximum, the sum of the exponentials, the "
    "results.",
    "The exponentials are needed for the sum alone: values must still hold x[i] in the last loop.",
    "log(exp(x - max) / sum) is x - max - log(sum). The first form is -infinity where exp() is 0 in float, at x - max < -104.",
]
FAILS = "wrong result"
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


def run(mine):
    launch = launchers(mine / "log_softmax.cu").launch_log_softmax

    def log_softmax(x):
        out = torch.empty_like(x)
        launch(out, x, *x.shape)
        return out

    def inputs(n, scale=3):
        return (scale * torch.randn(2, n, device=device),)

    def reference(x):
        return torch.log_softmax(x.double(), 1).float()

    check(log_softmax, reference, inputs, (1, 2, 3, 32, 33, 100, 512), rtol=1e-5, atol=1e-5, name="2 rows of n, n")
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
