"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Compute i as in chapter 00, and let the threads with no byte do nothing. A byte b has the digits b / 16 and b % 16, "
    "each a number from 0 to 15. out[2 * i] and out[2 * i + 1] belong to thread i.",
    "int8_t goes from -128 to 127. What are b / 16 and b % 16 for b = -61? As uint8_t the same byte is 195.",
    "`const uint8_t b = in[i]; out[2 * i] = digits[b / 16];` and one more store.",
]
WRONG = {
    "every_thread_goes_on": (
        "threads repeat work that others have done",
        {
            "hex.cu": [
                ("const int64_t i = int64_t", "for (int64_t i = int64_t"),
                ("threadIdx.x;\n    if (i >= n) return;\n", "threadIdx.x; i < n; i++) {\n"),
                ("digits[byte % 16];", "digits[byte % 16];\n    }"),
            ]
        },
    ),
    "one_thread": (
        "each by one lane alone",
        {
            "hex.cu": [
                (
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n",
                    "if (blockIdx.x > 0 || threadIdx.x > 0) return;\n    for (int64_t i = 0; i < n; i++) {\n",
                ),
                ("digits[byte % 16];", "digits[byte % 16];\n    }"),
            ]
        },
    ),
    "signed_bytes": (
        "uses index -3 of",
        {"hex.cu": [("uint8_t byte = in[i];  // as int8_t, half of all bytes are below 0", "int8_t byte = in[i];")]},
    ),
    "no_bounds_check": ("past the end of in (1 element)", {"hex.cu": [("    if (i >= n) return;\n", "")]}),
    "digits_swapped": (
        "expected '48', yours '84'",
        {
            "hex.cu": [
                (
                    "out[2 * i] = digits[byte / 16];\n    out[2 * i + 1] = digits[byte % 16];",
                    "out[2 * i + 1] = digits[byte / 16];\n    out[2 * i] = digits[byte % 16];",
                )
            ]
        },
    ),
    "no_table": (
        "reads nothing in constant memory",
        {
            "hex.cu": [
                (
                    (
                        "    const uint8_t byte = in[i];  // as int8_t, half of all bytes are below 0\n"
                        "    out[2 * i] = digits[byte / 16];\n"
                        "    out[2 * i + 1] = digits[byte % 16];\n"
                    ),
                    (
                        "    const uint8_t b = in[i];\n"
                        "    const int h = b / 16, l = b % 16;\n"
                        "    out[2 * i] = h < 10 ? '0' + h : 'a' + h - 10;\n"
                        "    out[2 * i + 1] = l < 10 ? '0' + l : 'a' + l - 10;\n"
                    ),
                )
            ]
        },
    ),
    "table_of_each_thread": (
        "reads nothing in constant memory",
        {
            "hex.cu": [
                (
                    (
                        "    const uint8_t byte = in[i];  // as int8_t, half of all bytes are below 0\n"
                        "    out[2 * i] = digits[byte / 16];\n"
                        "    out[2 * i + 1] = digits[byte % 16];\n"
                    ),
                    (
                        '    const char table[] = "0123456789abcdef";\n'
                        "    const uint8_t byte = in[i];  // as int8_t, half of all bytes are below 0\n"
                        "    out[2 * i] = table[byte / 16];\n"
                        "    out[2 * i + 1] = table[byte % 16];\n"
                    ),
                )
            ]
        },
    ),
    "one_block": (
        "200 stores, all by 1 warp",
        {
            "hex.cu": [
                (
                    (
                        "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                        "    if (i >= n) return;\n"
                    ),
                    ("    if (blockIdx.x) return;\n    for (int64_t i = threadIdx.x; i < n; i += 4) {\n"),
                ),
                ("digits[byte % 16];", "digits[byte % 16];\n    }"),
            ]
        },
    ),
    "index_of_32_bits": (
        "n = 4294967306: 8589934612 elements, more than 2^32: ",
        {"hex.cu": [("const int64_t i = int64_t(blockIdx.x) * blockDim.x", "const int i = blockIdx.x * blockDim.x")]},
    ),
    "unsigned_index": (
        "the last blocks write element 23",
        {
            "hex.cu": [
                ("const int64_t i = int64_t(blockIdx.x) * blockDim.x", "const unsigned i = blockIdx.x * blockDim.x")
            ]
        },
    ),
    "fixed_grid": (
        "The launcher starts 8000 threads for n = 4099 and for n = 16396",
        {"hex.cu": [("blocks_for(n, threads), threads", "2000, threads")]},
    ),
}
