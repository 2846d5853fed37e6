"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Thread t has the columns t, t + threads, t + 2 * threads ... An array `float values[elements]` keeps them: 8 * 64 is "
    "512.",
    "In one loop: add, store the sum, keep it in values[k], and add its square. Past the row's end a value is 0, "
    "which adds nothing.",
    "block_sum() has a barrier, so all threads call it, also those without an element. Then a second loop writes y.",
]
WRONG = {
    "of_x": (
        "wrong result",
        {"fused.cu": [("squares += values[k] * values[k];", "squares += c < n ? x[begin + c] * x[begin + c] : 0;")]},
    ),
    "sum_forgotten": ("never written", {"fused.cu": [("        if (c < n) sum[begin + c] = values[k];\n", "")]}),
    "another_eps": ("wrong result", {"fused.cu": [("block_sum(squares) / n + eps", "block_sum(squares) / n + 1e-2f")]}),
    "reads_the_sum": (
        "4 loads for each element",
        {"fused.cu": [("y[begin + c] = values[k] *", "y[begin + c] = sum[begin + c] *")]},
    ),
    "adds_twice": (
        "5 loads for each element",
        {"fused.cu": [("y[begin + c] = values[k] *", "y[begin + c] = (x[begin + c] + residual[begin + c]) *")]},
    ),
    "past_the_end": ("past the end of weight", {"fused.cu": [("if (c < n) y[begin + c]", "y[begin + c]")]}),
    "own_mean": (
        "wrong result",
        {"fused.cu": [("block_sum(squares) / n", "block_sum(squares) / (threads * elements)")]},
    ),
    "eps_of_the_test": (
        "eps = 0.5, 3 rows of n, n = 3",
        {
            "fused.cu": [("/ n + eps", "/ n + 1e-6f")],
        },
    ),
    "no_eps": (
        "eps = 0.5, 3 rows of n, n = 3",
        {
            "fused.cu": [("/ n + eps", "/ n")],
        },
    ),
    "skips_nan": (
        "a NaN in one of 3 rows, n = 3",
        {
            "fused.cu": [
                ("squares += values[k] * values[k]", "squares += isnan(values[k]) ? 0 : values[k] * values[k]")
            ],
        },
    ),
}
