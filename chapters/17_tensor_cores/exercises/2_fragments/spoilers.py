"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "x[0] is a pair of row `row + lane / 4`, from column `l + lane % 4 * 2` on.",
    "x[1] is 8 rows further down than x[0], x[2] is 8 columns further right, and x[3] is both.",
    "b has its rows where mma.sync has columns: y[0] is a pair of row `column + lane / 4` of b, y[1] 8 columns further right.",
    "sums[0] and sums[1] are neighbours in row `row + lane / 4` of the result, sums[2] and sums[3] lie 8 rows further down.",
]
WRONG = {
    "columns_first": (
        "wrong result",
        {"product.cu": [("i % 2 * 8) * k + l + i / 2 * 8", "i / 2 * 8) * k + l + i % 2 * 8")]},
    ),
    "a_row_a_lane": ("wrong result", {"product.cu": [("(row + lane / 4 + i % 2", "(row + lane % 8 + i % 2")]}),
    "the_same_b_twice": ("wrong result", {"product.cu": [("l + i * 8 + lane", "l + lane")]}),
    "sums_side_by_side": (
        "wrong result",
        {
            "product.cu": [
                ("i / 2 * 8) * n + column + lane % 4 * 2 + i % 2", "i % 2 * 8) * n + column + lane % 4 * 2 + i / 2")
            ]
        },
    ),
    "first_16_only": ("wrong result", {"product.cu": [("* k + l + i / 2 * 8", "* k + i / 2 * 8")]}),
    "no_tensor_core": (
        "the tensor cores have nothing to do",
        {
            "product.cu": [
                (
                    "        multiply<__half>(sums, x, y[0], y[1]);\n",
                    "        for (int i = 0; i < 4; i++)\n"
                    "            for (int j = l; j < l + 16; j++)\n"
                    "                sums[i] += __half2float(a[(row + lane / 4 + i / 2 * 8) * k + j]) *\n"
                    "                           __half2float(b[(column + lane % 4 * 2 + i % 2) * k + j]);\n",
                )
            ]
        },
    ),
    "dead_product": (
        "the tensor cores have nothing to do with",
        {
            "product.cu": [
                ("float sums[4] = {};", "float sums[4] = {}, own[4] = {};"),
                (
                    "        multiply<__half>(sums, x, y[0], y[1]);\n",
                    "        multiply<__half>(sums, x, y[0], y[1]);\n"
                    "        for (int i = 0; i < 4; i++)\n"
                    "            for (int j = l; j < l + 16; j++)\n"
                    "                own[i] += __half2float(a[(row + lane / 4 + i / 2 * 8) * k + j]) *\n"
                    "                          __half2float(b[(column + lane % 4 * 2 + i % 2) * k + j]);\n",
                ),
                ("+ i % 2] = sums[i]", "+ i % 2] = own[i]"),
            ]
        },
    ),
    "results_as_half": (
        "fractions, 16 x k by k x 8, k = 16",
        {"product.cu": [("+ i % 2] = sums[i]", "+ i % 2] = __half2float(__float2half(sums[i]))")]},
    ),
    "no_nan": (
        "a NaN in a, and one in b",
        {"product.cu": [("+ i % 2] = sums[i]", "+ i % 2] = fmaxf(sums[i], -60000.f)")]},
    ),
}
