"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The message has the line of a kernel and an address. Which of the three arrays is at that address?",
    "A thread of subtract_kernel_vec4 reads from two arrays and writes to a third. What must hold for all three of them?",
]
WRONG = {
    "one_by_one": (
        "12288 of 12288 loads and stores take one float at a time",
        {"subtract.cu": [("is_aligned(c) && is_aligned(a) && is_aligned(b) ? n / 4 : 0", "0")]},
    ),
    "whole_multiples_alone": (
        "whole tensors of 4099 elements: 12297 of 12297 loads and stores take one float",
        {"subtract.cu": [("is_aligned(b) ? n / 4", "is_aligned(b) && n % 4 == 0 ? n / 4")]},
    ),
    "result_forgotten": (
        "a = x, b = y, c = z[1:], n = 4: kernel subtract_kernel_vec4: misaligned",
        {"subtract.cu": [("is_aligned(c) && ", "")]},
    ),
    "equally_misaligned": (
        "misaligned",
        {
            "subtract.cu": [
                ("is_aligned(c) && is_aligned(a) && is_aligned(b) ?", "(c - a) % 4 == 0 && (c - b) % 4 == 0 ?")
            ]
        },
    ),
    "as_for_float2": ("misaligned", {"subtract.cu": [("16", "8")]}),
    "one_of_them": (
        "misaligned",
        {"subtract.cu": [("is_aligned(a) && is_aligned(b", "(is_aligned(a) || is_aligned(b)")]},
    ),
    "fixed_grid": (
        "a = x, b = y, c = z, n = 8224: wrong result",
        {
            "subtract.cu": [
                ("subtract_kernel_vec4<<<blocks_for(n4, threads)", "subtract_kernel_vec4<<<5"),
                ("subtract_kernel<<<blocks_for(n - done, threads)", "subtract_kernel<<<5"),
            ],
        },
    ),
    "index_of_32_bits": (
        "4294967306 elements, more than 2^32: kernel subtract_kernel",
        {
            "subtract.cu": [
                (
                    ("float* b, int64_t n) {\n    const int64_t i = int64_t(blockIdx.x)"),
                    ("float* b, int64_t n) {\n    const int i = blockIdx.x"),
                )
            ],
        },
    ),
    "rest_of_32_bits": (
        "whole tensors of 8589934602 elements",
        {
            "subtract.cu": [("const int64_t done = 4 * n4", "const int done = 4 * n4")],
        },
    ),
    "fours_of_32_bits": (
        "whole tensors of 8589934602 elements",
        {
            "subtract.cu": [("const int64_t n4 =", "const int n4 =")],
        },
    ),
    "sum_of_addresses": (
        "a = x, b = y[1:], c = z[3:], n = 8: kernel subtract_kernel_vec4: misaligned",
        {
            "subtract.cu": [
                (
                    "is_aligned(c) && is_aligned(a) && is_aligned(b) ?",
                    "(reinterpret_cast<uintptr_t>(c) + reinterpret_cast<uintptr_t>(a) + "
                    "reinterpret_cast<uintptr_t>(b)) % 16 == 0 ?",
                )
            ],
        },
    ),
    "result_as_for_float2": (
        "a = x, b = y, c = z[2:], n = 8: kernel subtract_kernel_vec4: misaligned",
        {"subtract.cu": [("= is_aligned(c) &&", "= reinterpret_cast<uintptr_t>(c) % 8 == 0 &&")]},
    ),
    "as_for_64_bytes": (
        "slices [4:] of 7 elements: 21 of 21 loads and stores take one float",
        {"subtract.cu": [("% 16", "% 64")]},
    ),
    "error_of_whole_fours": (
        "launch 1 was made to fail",
        {
            "subtract.cu": [
                (
                    "reinterpret_cast<const float4*>(b), n4);\n        CHECK_LAUNCH();\n",
                    "reinterpret_cast<const float4*>(b), n4);\n",
                )
            ]
        },
    ),
}
