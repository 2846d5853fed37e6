"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Three loops over values, and warp_max() and warp_sum() between them: the maximum, the sum of the exponentials, the "
    "results.",
    "The exponentials are needed for the sum alone: values must still hold x[i] in the last loop.",
    "log(exp(x - max) / sum) is x - max - log(sum). The first form is -infinity where "
    "exp() is 0 in float, at x - max < -104.",
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
    "maximum_from_0_on": (
        "far below 0, n = 3",
        {
            "log_softmax.cu": [("float max = -INFINITY, sum", "float max = 0, sum")],
        },
    ),
    "skips_nan": (
        "a NaN in one of 2 rows, n = 3",
        {
            "log_softmax.cu": [
                (
                    "for (const float value : values) sum += expf(value - max);",
                    ("for (const float value : values)\n        if (!isnan(value)) sum += expf(value - max);"),
                )
            ],
        },
    ),
    "each_lane_reads_the_row": (
        "1024 elements, and 66560 loads",
        {
            "log_softmax.cu": [
                (
                    (
                        "    for (const float value : values) max = fmaxf(max, value);\n"
                        "    max = warp_max(max);\n"
                        "    for (const float value : values) sum += expf(value - max);\n"
                        "    const float shift = max + logf(warp_sum(sum));"
                    ),
                    (
                        "    for (int k = 0; k < n; k++) max = fmaxf(max, x[k]);\n"
                        "    for (int k = 0; k < n; k++) sum += expf(x[k] - max);\n"
                        "    const float shift = max + logf(sum);"
                    ),
                )
            ],
        },
    ),
    "maximum_from_a_number": (
        "below -1e38, n = 3",
        {
            "log_softmax.cu": [("float max = -INFINITY, sum", "float max = -3e38f, sum")],
        },
    ),
    "padding_at_minus_10000": (
        "below -1e38, n = 3",
        {
            "log_softmax.cu": [
                ("? x[lane + 32 * k] : -INFINITY", "? x[lane + 32 * k] : -1e4f"),
            ],
        },
    ),
    "one_lane_stores": (
        "1024 stores, each by one lane alone",
        {
            "log_softmax.cu": [
                (
                    (
                        "    for (int k = 0; k < elements; k++)\n"
                        "        if (lane + 32 * k < n) out[lane + 32 * k] = values[k];"
                    ),
                    (
                        "    for (int i = 0; i < n; i++) {\n"
                        "        const float v = __shfl_sync(~0u, values[i / 32], i % 32);\n"
                        "        if (lane == 0) out[i] = v;\n"
                        "    }"
                    ),
                ),
            ],
        },
    ),
    "one_block": (
        "expected: by 40 or more",
        {
            "log_softmax.cu": [
                (
                    (
                        "    const int64_t row = int64_t(blockIdx.x) * warps + threadIdx.y;\n"
                        "    if (row >= rows) return;  // the whole warp\n"
                    ),
                    "    for (int64_t row = threadIdx.y; row < rows; row += warps) {\n",
                ),
                (
                    ("    out += row * n, x += row * n;\n    float"),
                    ("    float* const o = out + row * n;\n    const float* const p = x + row * n;\n    float"),
                ),
                ("? x[lane", "? p[lane"),
                (") out[lane + 32 * k] = values[k];\n", (") o[lane + 32 * k] = values[k];\n    }\n")),
                ("blocks_for(rows, warps)", "1"),
            ],
        },
    ),
    "maximum_of_480": (
        "one 0, the others around -300, n = 512",
        {
            "log_softmax.cu": [
                (
                    "for (const float value : values) max = fmaxf(max, value);",
                    "for (int k = 0; k < 15; k++) max = fmaxf(max, values[k]);",
                ),
            ],
        },
    ),
}
