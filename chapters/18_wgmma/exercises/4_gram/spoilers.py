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
}  # fmt: skip
