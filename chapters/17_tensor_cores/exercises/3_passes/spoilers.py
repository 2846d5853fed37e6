"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Which banks hold pack 0 of rows 0 to 7? A row of eight packs has 128 bytes.",
    "ldmatrix reads the same pack of eight rows at a time. These eight packs should lie at eight different places.",
    "The lesson's place() does it: an xor with the number of the row.",
]
WRONG = {
    "by_row_8": ("passes of shared memory", {"turn.cu": [("pack ^ row % 8", "pack ^ row / 8")]}),
    "half_of_the_rows": ("passes of shared memory", {"turn.cu": [("pack ^ row % 8", "pack ^ row % 4")]}),
    "out_of_the_row": ("wrong result", {"turn.cu": [("pack ^ row % 8", "(pack + row) % 7")]}),
    "stores_of_words": (
        "all stores and loads take 640 passes of shared memory",
        {
            "turn.cu": [
                (
                    "        tile[i / 8][place(i / 8, i % 8)] =\n"
                    "            *reinterpret_cast<const uint4*>(in + int64_t(row + i / 8) * columns + column + i % 8 * 8);\n",
                    "        for (int j = 0; j < 4; j++)\n"
                    "            reinterpret_cast<uint32_t*>(&tile[i / 8][place(i / 8, i % 8)])[j] =\n"
                    "                reinterpret_cast<const uint32_t*>(in + int64_t(row + i / 8) * columns + column +\n"
                    "                                                  i % 8 * 8)[j];\n",
                )
            ]
        },
    ),
    "rows_of_128_elements": (
        "128 rows of fractions, columns = 64",
        {"turn.cu": [("int64_t(row + i / 8) * columns + column", "int64_t(row + i / 8) * 128 + column")]},
    ),
    "every_tile_twice": (
        "threads repeat work",
        {"turn.cu": [("unsigned(rows / 64))", "unsigned(rows / 64), 2)")]},
    ),
}
