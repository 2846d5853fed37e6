"""layer_norm: keep the digits of a variance

The kernel is right for numbers around 0. For numbers around 3000, its variance is the difference of two large sums.
"""

import torch

from common.exercises import Wrong, check, device, launchers, seen

MINUTES = 30
HINTS = [
    "mean(x * x) and mean * mean are both about 9000000, and a float has 7 digits: hardly any of their difference, 1, "
    "is left. Which sum of squares has small terms?",
    "Sum (value - mean)^2. That needs the mean first, so two sums of the block, one after the other. The row is still in "
    "the registers: no second load.",
    "An element behind the row's end is 0 in values. What does it add to the sum of (value - mean)^2?",
    "When block_sum() is called twice, a fast warp writes its second part while a slow one still reads the first ones: "
    "a second __syncthreads() at its end.",
]
FAILS = "x + 3000"
WRONG = {
    "one_barrier": (
        "data race",
        {"layer_norm.cu": [("    __syncthreads();  // all have read the parts: the next call may write\n", "")]},
    ),
    "padding_counts": (
        "wrong result",
        {
            "layer_norm.cu": [
                (
                    "for (int k = 0; k < elements; k++)\n"
                    "        if (t + k * threads < n) squares += (values[k] - mean) * (values[k] - mean);",
                    "for (const float value : values) squares += (value - mean) * (value - mean);",
                )
            ]
        },
    ),
    "loads_again": ("2 times", {"layer_norm.cu": [(") squares", ") values[k] = x[t + k * threads], squares")]}),
    "clamped": (
        "x + 3000",
        {
            "layer_norm.cu": [
                ("+= value;", "+= value, squares += value * value;"),
                (
                    "for (int k = 0; k < elements; k++)\n"
                    "        if (t + k * threads < n) squares += (values[k] - mean) * (values[k] - mean);\n"
                    "    const float scale = rsqrtf(block_sum(squares) / n + eps);",
                    "const float scale = rsqrtf(fmaxf(block_sum(squares) / n - mean * mean, 0) + eps);",
                ),
            ]
        },
    ),
}


def run(mine):
    launch = launchers(mine / "layer_norm.cu").launch_layer_norm

    def layer_norm(x):
        out = torch.empty_like(x)
        launch(out, x, *x.shape, 1e-5)
        return out

    def reference(x):
        return torch.nn.functional.layer_norm(x.double(), x.shape[1:]).float()

    def around(where):
        return lambda n: (torch.randn(2, n, device=device) + where,)

    check(layer_norm, reference, around(0), (1, 2, 3, 33, 64, 100, 512), rtol=1e-4, atol=1e-4, name="2 rows of n, n")
    check(layer_norm, reference, around(3000), (3, 100, 512), rtol=1e-2, atol=1e-2, name="x + 3000, n")
    rows = seen(lambda: layer_norm(*around(0)(512)))
    loads = [row for row in rows if (row.space, row.kind) == ("global", "load")]
    loaded = sum(row.threads for row in loads)
    if loaded > 2 * 512:
        lines = " ".join(f"{row.file}:{row.line}" for row in loads)
        raise Wrong(f"the kernel loads each element {loaded / 2 / 512:g} times, and one load is enough\n{lines}")
    if loads:
        print(f"{'right':8}one load for each element")
