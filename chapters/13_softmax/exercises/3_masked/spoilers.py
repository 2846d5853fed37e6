"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Follow a lane whose first element is -infinity: what is before - max?",
    "-infinity - -infinity is NaN, and so is its exp. The maximum has to begin at a number that is no larger than any other.",
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
    "begins_at_2e38": (
        "x - 3e38, n = 3",
        {
            "masked.cu": [("max = -FLT_MAX", "max = -2e38f")],
        },
    ),
    "skips_nan": (
        "a NaN in one of 2 rows, n = 3",
        {
            "masked.cu": [
                (
                    "        const float before = max;\n",
                    ("        if (isnan(x[i])) continue;\n        const float before = max;\n"),
                )
            ],
        },
    ),
    "at_most_1000": (
        "x + 2000, n = 3",
        {
            "masked.cu": [("fmaxf(max, x[i])", "fminf(fmaxf(max, x[i]), 1000)")],
        },
    ),
    "each_lane_reads_the_row": (
        "threads repeat work",
        {
            "masked.cu": [
                ("    for (int64_t i = threadIdx.x; i < n; i += 32) {\n", "    for (int64_t i = 0; i < n; i++) {\n"),
                ("warp_sum(sum * expf(max - of_row))", "warp_sum(sum * expf(max - of_row)) / 32"),
            ],
        },
    ),
    "one_lane_stores": (
        "each by 1.9 lanes of a warp",
        {
            "masked.cu": [
                (
                    "    for (int64_t i = threadIdx.x; i < n; i += 32) out[i] =",
                    "    if (threadIdx.x == 0) for (int64_t i = 0; i < n; i++) out[i] =",
                )
            ],
        },
    ),
    "index_of_32_bits": (
        "i has 32 bits, and n has 64",
        {
            "masked.cu": [
                (
                    "    for (int64_t i = threadIdx.x; i < n; i += 32) out[i] =",
                    "    for (auto i = threadIdx.x; i < n; i += 32) out[i] =",
                )
            ]
        },
    ),
    "skips_infinities": (
        "an infinity in one of 2 rows, n = 3",
        {
            "masked.cu": [
                ("max = -FLT_MAX", "max = -INFINITY"),
                (
                    "        const float before = max;\n",
                    ("        if (isinf(x[i])) continue;\n        const float before = max;\n"),
                ),
            ],
        },
    ),
    "above_the_lowest": (
        "all the lowest number, -FLT_MAX, n = 1",
        {
            "masked.cu": [
                ("max = -FLT_MAX", "max = -3.4e38f"),
            ],
        },
    ),
    "row_of_32_bits": (
        "1073741827 rows of 4: 4294967308 elements",
        {
            "masked.cu": [
                (
                    "out += blockIdx.x * n, x += blockIdx.x * n;",
                    ("const int begin = int(blockIdx.x) * int(n);\n    out += begin, x += begin;"),
                ),
            ],
        },
    ),
    "int_store": (
        "a number has 32 bits here",
        {
            "masked.cu": [
                (
                    "for (int64_t i = threadIdx.x; i < n; i += 32) out[i] =",
                    "for (int64_t i = threadIdx.x; i < n; i += 32) out[int(i)] =",
                ),
            ],
        },
    ),
    "place_of_32_bits": (
        "masked.cu:25: a number has 32 bits here",
        {
            "masked.cu": [
                (
                    ("        const float before = max;\n        max = fmaxf(max, x[i]);"),
                    ("        const int k = i;\n        const float before = max;\n        max = fmaxf(max, x[k]);"),
                ),
            ],
        },
    ),
    "length_of_32_bits": (
        "a number has 32 bits here",
        {
            "masked.cu": [
                (
                    "for (int64_t i = threadIdx.x; i < n; i += 32) out[i] =",
                    "for (int64_t i = threadIdx.x; i < static_cast<int>(n); i += 32) out[i] =",
                ),
            ],
        },
    ),
    "at_most_512": (
        "2 rows of n, n = 5000",
        {
            "masked.cu": [
                (
                    "for (int64_t i = threadIdx.x; i < n; i += 32) out[i] =",
                    "for (int64_t i = threadIdx.x; i < n && i < 512; i += 32) out[i] =",
                ),
            ],
        },
    ),
}
