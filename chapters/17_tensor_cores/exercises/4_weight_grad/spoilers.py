"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "A pair of the fragment has elements l and l + 1 of one column of grad. They lie m elements apart in memory.",
    "as<uint32_t>(array of two __half) puts two elements into one register, as two rows of grad have them.",
    "Elements beyond the last row or column of grad or x are 0. Then they add nothing.",
    "Of the sums, only those within m rows and n columns are stored.",
]
WRONG = {
    "neighbours_of_a_row": (
        "wrong result",
        {
            "weight_grad.cu": [
                ("of[(l + i) * columns + c]", "of[l * columns + c + i]"),
                ("l + i < k && c <", "l < k && c + i <"),
            ]
        },
    ),
    "rows_beyond_the_end": (
        "33 rows, m and m + 2 columns",
        {"weight_grad.cu": [("if (r < m && c < n) out", "if (r < m) out")]},
    ),
    "second_without_a_check": ("k rows, 16 and 8 columns", {"weight_grad.cu": [("l + i < k &&", "l < k &&")]}),
    "one_step": ("k rows, 16 and 8 columns", {"weight_grad.cu": [("l < k; l += 16", "l < 16; l += 16")]}),
    "no_tensor_core": (
        "the tensor cores have nothing to do",
        {
            "weight_grad.cu": [
                ("        multiply<__half>(sums, a, b[0], b[1]);\n", "        (void)a, (void)b;\n"),
                (
                    "    for (int i = 0; i < 4; i++) {\n        const int64_t r",
                    "    for (int64_t l = 0; l < k; l++)\n        for (int i = 0; i < 4; i++) {\n"
                    "            const int64_t r = row + i / 2 * 8, c = column + pair + i % 2;\n"
                    "            if (r < m && c < n) sums[i] += __half2float(grad[l * m + r]) * __half2float(x[l * n + c]);\n"
                    "        }\n"
                    "    for (int i = 0; i < 4; i++) {\n        const int64_t r",
                ),
            ]
        },
    ),
    "dead_product": (
        "the tensor cores have nothing to do with",
        {
            "weight_grad.cu": [
                (
                    "    for (int i = 0; i < 4; i++) {\n        const int64_t r",
                    "    for (float& sum : sums) sum = 0;\n"
                    "    for (int64_t l = 0; l < k; l++)\n        for (int i = 0; i < 4; i++) {\n"
                    "            const int64_t r = row + i / 2 * 8, c = column + pair + i % 2;\n"
                    "            if (r < m && c < n) sums[i] += __half2float(grad[l * m + r]) * __half2float(x[l * n + c]);\n"
                    "        }\n"
                    "    for (int i = 0; i < 4; i++) {\n        const int64_t r",
                ),
            ]
        },
    ),
    "index_of_32_bits": (
        "m = 268435457, n = 17, k = 17",
        {"weight_grad.cu": [("of[(l + i) * columns + c]", "of[unsigned((l + i) * columns + c)]")]},
    ),
    "zeros_beyond_k_in_grad_alone": (
        "are infinite, and both have a NaN: k rows, k = 1",
        {
            "weight_grad.cu": [
                (
                    "elements[i] = l + i < k && c < columns ? of[(l + i) * columns + c]",
                    "elements[i] = (l + i < k || of == x) && c < columns ? of[min(l + i, k - 1) * columns + c]",
                )
            ]
        },
    ),
}
