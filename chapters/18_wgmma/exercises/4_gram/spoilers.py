"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "first_kernel of ladder.cu, with both operands stored across k: a box begins at column `top` or `left`, row 64 * step.",
    "Such an operand is transposed for wgmma: wgmma<bf16, true, true>. The next 16 of k are 16 rows further, 2048 bytes.",
    "Two barriers: one before the first copy, since somebody must make the mbarrier; one at the end of each step.",
]
WRONG = {
    "along_k": ("lead out of every array", {"gram.cu": [("wgmma<bf16, true, true>", "wgmma<bf16, false, false>")]}),
    "32_bytes_further": ("wrong result", {"gram.cu": [("i * 16 * 128, BOX_BYTES),\n", "i * 32, BOX_BYTES),\n")]}),
    "one_parity": ("spin", {"gram.cu": [("full, step % 2)", "full, 0)")]}),
    "whole_boxes_only": ("wrong result", {"gram.cu": [("(rows + 63) / 64", "rows / 64")]}),
    "rows_for_columns": ("wrong result", {"gram.cu": [("&x, left, step * 64", "&x, step * 64, left")]}),
    "no_fence": ("no wgmma.fence", {"gram.cu": [("        wgmma_fence();\n", "")]}),
    "sums_read_at_once": ("wrong result", {"gram.cu": [("        wgmma_wait<0>();\n", "")]}),
    "every_tile_twice": (
        "threads repeat work",
        {"gram.cu": [("dim3(columns / 64, columns / 64), 128", "dim3(columns / 64, columns / 64, 2), 128")]},
    ),
    "threads_multiply": (
        "threads load from device memory",
        {
            "gram.cu": [
                ("int rows, int columns) {\n#ifdef", "int rows, int columns, const bf16* m) {\n#ifdef"),
                ("out, rows, columns);\n    CHECK", "out, rows, columns, x);\n    CHECK"),
                ("step < (rows + 63) / 64; step++", "step < 0; step++"),
                (
                    "    // end of your code\n",
                    "    const int r = top + int(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4),\n"
                    "              c = left + int(threadIdx.x % 4 * 2);\n"
                    "    for (int l = 0; l < rows; l++)\n"
                    "        for (int i = 0; i < 32; i++) {\n"
                    "            const bf16 first = m[l * columns + r + i / 2 % 2 * 8],\n"
                    "                       second = m[l * columns + c + i / 4 * 8 + i % 2];\n"
                    "            sums[i] += __bfloat162float(first) * __bfloat162float(second);\n"
                    "        }\n"
                    "    // end of your code\n",
                ),
            ]
        },
    ),
}  # fmt: skip
