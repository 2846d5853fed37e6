"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "mean(x * x) and mean * mean are both about 9000000, and a float has 7 digits: hardly any of their difference, 1, "
    "is left. Which sum of squares has small terms?",
    "Sum (value - mean)^2. That needs the mean first, so two sums of the block, one after the other. The row is still in "
    "the registers: no second load.",
    "An element past the row's end is 0 in values. What does it add to the sum of (value - mean)^2?",
    "When block_sum() is called twice, a fast warp writes its second part while a slow one still reads the first ones: "
    "a second __syncthreads() at its end.",
]
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
    "eps_of_the_test": (
        "eps = 0.5, n = 3",
        {
            "layer_norm.cu": [("/ n + eps", "/ n + 1e-5f")],
        },
    ),
    "skips_nan": (
        "a NaN in one of 2 rows, n = 3",
        {
            "layer_norm.cu": [("? x[t + k * threads] : 0;", "&& !isnan(x[t + k * threads]) ? x[t + k * threads] : 0;")],
        },
    ),
    "place_of_32_bits": (
        "1073741827 rows of 4: 4294967308 elements, more than 2^32: the last blocks write element",
        {
            "layer_norm.cu": [
                (
                    "out += int64_t(blockIdx.x) * n, x += int64_t(blockIdx.x) * n;",
                    "out += blockIdx.x * n, x += blockIdx.x * n;",
                )
            ]
        },
    ),
    "minus_3000": (
        "rows around -2000 and 5000, n = 100",
        {
            "layer_norm.cu": [
                (
                    "values[k] = t + k * threads < n ? x[t + k * threads] : 0;\n",
                    (
                        "values[k] = t + k * threads < n ? x[t + k * threads] : 0;\n"
                        "    const bool far = fabsf(block_sum(t == 0 ? values[0] : 0)) > 1000;\n"
                        "    if (far) for (float& value : values) value -= 3000;\n"
                    ),
                ),
                (
                    "for (const float value : values) sum += value;",
                    (
                        "for (int k = 0; k < elements; k++) if (t + k * threads < n) sum += values[k], squares += "
                        "values[k] * values[k];"
                    ),
                ),
                (
                    (
                        "    for (int k = 0; k < elements; k++)\n"
                        "        if (t + k * threads < n) squares += (values[k] - mean) * (values[k] - mean);\n"
                        "    const float scale = rsqrtf(block_sum(squares) / n + eps);"
                    ),
                    "    const float scale = rsqrtf(block_sum(squares) / n - mean * mean + eps);",
                ),
            ],
        },
    ),
    "one_thread": (
        "1024 loads, each by one lane alone",
        {
            "layer_norm.cu": [
                (
                    (
                        "    const int t = int(threadIdx.x);\n"
                        "    out += int64_t(blockIdx.x) * n, x += int64_t(blockIdx.x) * n;\n"
                        "    float values[elements], sum = 0, squares = 0;\n"
                        "    for (int k = 0; k < elements; k++) values[k] = t + k * threads < n ? x[t + k * threads] : "
                        "0;\n"
                        "    for (const float value : values) sum += value;\n"
                        "    const float mean = block_sum(sum) / n;\n"
                        "    for (int k = 0; k < elements; k++)\n"
                        "        if (t + k * threads < n) squares += (values[k] - mean) * (values[k] - mean);\n"
                        "    const float scale = rsqrtf(block_sum(squares) / n + eps);\n"
                        "    for (int k = 0; k < elements; k++)\n"
                        "        if (t + k * threads < n) out[t + k * threads] = (values[k] - mean) * scale;\n"
                    ),
                    (
                        "    if (threadIdx.x > 0) return;\n"
                        "    out += int64_t(blockIdx.x) * n, x += int64_t(blockIdx.x) * n;\n"
                        "    float row[threads * elements], sum = 0, squares = 0;\n"
                        "    for (int i = 0; i < n; i++) row[i] = x[i], sum += row[i];\n"
                        "    const float mean = sum / n;\n"
                        "    for (int i = 0; i < n; i++) squares += (row[i] - mean) * (row[i] - mean);\n"
                        "    const float scale = rsqrtf(squares / n + eps);\n"
                        "    for (int i = 0; i < n; i++) out[i] = (row[i] - mean) * scale;\n"
                    ),
                ),
            ],
        },
    ),
    "variance_up_to_100": (
        "300 x, n = 3",
        {
            "layer_norm.cu": [
                ("block_sum(squares) / n + eps", "fminf(block_sum(squares) / n, 100) + eps"),
            ],
        },
    ),
    "squares_up_to_1000": (
        "300 x, n = 3",
        {
            "layer_norm.cu": [
                ("(values[k] - mean) * (values[k] - mean);", "fminf((values[k] - mean) * (values[k] - mean), 1000);"),
            ],
        },
    ),
}
