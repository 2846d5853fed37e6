"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "ldmatrix reads the same pack of eight rows at a time, and eight packs side by side have all banks. Pack p of row r lies "
    "at p + 12 * r: which of eight rows meet in the same banks?",
    "Rows whose numbers are both even, or both odd, begin in the same banks. These four rows need four different places.",
    "An xor with a number from 0 to 3 stays inside a group of four packs, and so inside the row: row / 2 % 4. Or let a row "
    "take 13 packs, an odd number.",
    "load_matrices<false> takes four matrices of 8 x 8. Of q: pack i of rows 0 to 7 and of rows 8 to 15, then pack i + 1. "
    "Of k: packs i and i + 1 of 8 keys, then of the next 8.",
]
WRONG = {
    "no_swizzle": ("16 passes of shared memory", {"scores.cu": [("pack ^ row / 2 % 4", "pack")]}),
    "row_modulo_4": ("8 passes of shared memory", {"scores.cu": [("pack ^ row / 2 % 4", "pack ^ row % 4")]}),
    "64_of_96": ("wrong result", {"scores.cu": [("i < D / 8; i += 2", "i < 8; i += 2")]}),
    "turned_in_the_row": ("passes of shared memory", {"scores.cu": [("pack ^ row / 2 % 4", "(pack + row) % 12")]}),
    "place_forgotten": (
        "wrong result",
        {"scores.cu": [("k_tile[column][place(column, i + lane / 8 % 2)]", "k_tile[column][i + lane / 8 % 2]")]},
    ),
    "k_as_q": (
        "wrong result",
        {
            "scores.cu": [
                ("n * 8 + lane / 16 * 8 + lane % 8", "n * 8 + lane % 16"),
                ("i + lane / 8 % 2", "i + lane / 16"),
            ]
        },
    ),
    "q_again_for_each_16_keys": (
        "864 passes of shared memory",
        {
            "scores.cu": [
                (
                    "            load_matrices<false>(y,",
                    "            load_matrices<false>(x, address_of(&q_tile[row][place(row, i + lane / 16)]));\n"
                    "            load_matrices<false>(y,",
                )
            ]
        },
    ),
    "keys_from_device_memory": (
        "threads repeat work",
        {
            "scores.cu": [
                (
                    "            load_matrices<false>(y, address_of(&k_tile[column][place(column, i + lane / 8 % 2)]));\n",
                    "            for (int j = 0; j < 4; j++)\n"
                    "                memcpy(&y[j], k + (key + column / 16 * 16 + j / 2 * 8 + lane / 4) * D +\n"
                    "                                  (i + j % 2) * 8 + lane % 4 * 2, 4);\n",
                )
            ]
        },
    ),
    "no_tensor_core": (
        "no multiply<__half>()",
        {
            "scores.cu": [
                (
                    "            multiply<__half>(s[n], x, y[0], y[1]);\n"
                    "            multiply<__half>(s[n + 1], x, y[2], y[3]);\n",
                    "",
                ),
                (
                    "    for (int n = 0; n < TILE / 8; n++)\n        for (int i = 0; i < 4; i += 2) {\n",
                    "    for (int n = 0; n < TILE / 8; n++)\n        for (int i = 0; i < 4; i += 2) {\n"
                    "            for (int l = 0; l < 2 * D; l++)\n"
                    "                s[n][i + l % 2] +=\n"
                    "                    __half2float(q[(query + warp * 16 + lane / 4 + i / 2 * 8) * D + l / 2]) *\n"
                    "                    __half2float(k[(key + n * 8 + lane % 4 * 2 + l % 2) * D + l / 2]);\n",
                ),
            ]
        },
    ),
    "dead_product": (
        "the tensor cores have nothing to do with",
        {
            "scores.cu": [
                (
                    "    for (int n = 0; n < TILE / 8; n++)\n        for (int i = 0; i < 4; i += 2) {\n",
                    "    for (int n = 0; n < TILE / 8; n++)\n        for (int i = 0; i < 4; i += 2) {\n"
                    "            s[n][i] = s[n][i + 1] = 0;\n"
                    "            for (int l = 0; l < 2 * D; l++)\n"
                    "                s[n][i + l % 2] +=\n"
                    "                    __half2float(q[(query + warp * 16 + lane / 4 + i / 2 * 8) * D + l / 2]) *\n"
                    "                    __half2float(k[(key + n * 8 + lane % 4 * 2 + l % 2) * D + l / 2]);\n",
                ),
            ]
        },
    ),
    "results_as_half": (
        "fractions, 64 keys, queries = 64",
        {
            "scores.cu": [
                (
                    "make_float2(s[n][i], s[n][i + 1])",
                    "make_float2(__half2float(__float2half(s[n][i])), __half2float(__float2half(s[n][i + 1])))",
                )
            ]
        },
    ),
}
