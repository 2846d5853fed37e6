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
        "a NaN, an infinity, a row of zeros, n = 3",
        {
            "fused.cu": [
                ("squares += values[k] * values[k]", "squares += isnan(values[k]) ? 0 : values[k] * values[k]")
            ],
        },
    ),
    "three_blocks": (
        "rows of 20, rows = 5",
        {
            "fused.cu": [
                ("blocks_for(rows, 1)", "unsigned(rows > 3 ? 3 : rows)"),
            ],
        },
    ),
    "two_lanes": (
        "4608 loads, each by 2 lanes of a warp",
        {
            "fused.cu": [
                (
                    (
                        "    float values[elements], squares = 0;\n"
                        "    for (int k = 0; k < elements; k++) {\n"
                        "        const int c = t + k * threads;\n"
                        "        values[k] = c < n ? x[begin + c] + residual[begin + c] : 0;\n"
                        "        if (c < n) sum[begin + c] = values[k];\n"
                        "        squares += values[k] * values[k];\n"
                        "    }\n"
                        "    const float scale = rsqrtf(block_sum(squares) / n + eps);\n"
                        "    for (int k = 0; k < elements; k++) {\n"
                        "        const int c = t + k * threads;\n"
                        "        if (c < n) y[begin + c] = values[k] * scale * weight[c];\n"
                        "    }\n"
                    ),
                    (
                        "    float values[512], squares = 0;\n"
                        "    for (int c = t; c < n && t < 2; c += 2) {\n"
                        "        values[c] = x[begin + c] + residual[begin + c];\n"
                        "        sum[begin + c] = values[c];\n"
                        "        squares += values[c] * values[c];\n"
                        "    }\n"
                        "    const float scale = rsqrtf(block_sum(squares) / n + eps);\n"
                        "    for (int c = t; c < n && t < 2; c += 2) y[begin + c] = values[c] * scale * weight[c];\n"
                    ),
                ),
            ],
        },
    ),
    "row_of_32_bits": (
        "1073741827 rows of 4: 4294967308 elements",
        {
            "fused.cu": [
                ("const int64_t begin = int64_t(blockIdx.x) * n;", "const int begin = blockIdx.x * n;"),
            ],
        },
    ),
    "index_of_sum_of_32_bits": (
        "the last sum is 0, expected 1",
        {
            "fused.cu": [
                ("if (c < n) sum[begin + c]", "if (c < n) sum[unsigned(begin + c)]"),
            ],
        },
    ),
    "skips_infinities": (
        "a NaN, an infinity, a row of zeros, n",
        {
            "fused.cu": [
                ("squares += values[k] * values[k];", "if (!isinf(values[k])) squares += values[k] * values[k];"),
            ],
        },
    ),
    "skips_zeros": (
        "a NaN, an infinity, a row of zeros, n",
        {
            "fused.cu": [
                ("if (c < n) y[begin + c] =", "if (c < n && values[k] != 0) y[begin + c] ="),
            ],
        },
    ),
}
