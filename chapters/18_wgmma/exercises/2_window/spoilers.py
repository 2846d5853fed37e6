"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "first_kernel of ladder.cu has all that you need: mbarrier_init, a fence, a barrier for the block, expect, load, wait.",
    "One thread arrives at the mbarrier, with the number of bytes that will come: 64 x 64 numbers of two bytes.",
    "tma_load(address_of(box), &x, column, row, 0, full). Piece p of row y lies at place p ^ y % 8.",
]
WRONG = {
    "not_swizzled": ("wrong result", {"window.cu": [("piece ^ y % 8", "piece")]}),
    "numbers_for_bytes": ("kernel window_kernel", {"window.cu": [("sizeof box);", "64 * 64);")]}),
    "rows_and_columns": ("illegal instruction", {"window.cu": [("column, row, 0", "row, column, 0")]}),
    "no_fence": ("fence", {"window.cu": [("        fence_mbarrier_init();\n", "")]}),
    "nobody_waits": ("has not waited", {"window.cu": [("    while (!mbarrier_try_wait(full, 0)) {\n    }\n", "")]}),
    "every_thread_expects": (
        "kernel window_kernel",
        {
            "window.cu": [
                ("    if (threadIdx.x == 0) {\n        mbarrier_arrive_expect", "    {\n        mbarrier_arrive_expect")
            ]
        },
    ),
    "two_copies": (
        "2 tma_load(), expected: one",
        {
            "window.cu": [
                ("expect(full, sizeof box);", "expect(full, 2 * sizeof box);"),
                (
                    "        tma_load(address_of(box), &x, column, row, 0, full);\n",
                    "        tma_load(address_of(box), &x, column, row, 0, full);\n"
                    "        tma_load(address_of(box), &x, column, row, 0, full);\n",
                ),
            ]
        },
    ),
    "one_thread_stores": (
        "one lane alone",
        {"window.cu": [("i = int(threadIdx.x); i < 64 * 8; i += 128", "i = 0; i < 64 * 8 && threadIdx.x == 0; i++")]},
    ),
    "every_thread_stores_all": (
        "threads repeat work",
        {"window.cu": [("i = int(threadIdx.x); i < 64 * 8; i += 128", "i = 0; i < 64 * 8; i++")]},
    ),
    "threads_copy": (
        "threads load from device memory",
        {
            "window.cu": [
                (
                    "bf16* out, int row, int column) {",
                    "bf16* out, int row, int column, const bf16* m, int rows, int columns) {",
                ),
                ("out, row, column);", "out, row, column, x, rows, columns);"),
                (
                    "        to[i] = box[y][piece ^ y % 8];",
                    "        for (int j = 0; j < 8; j++) {\n"
                    "            const int r = row + y, c = column + piece * 8 + j;\n"
                    "            bf16 value = __float2bfloat16(0.f);\n"
                    "            if (r >= 0 && r < rows && c >= 0 && c < columns) value = m[int64_t(r) * columns + c];\n"
                    "            out[i * 8 + j] = value;\n"
                    "        }\n"
                    "        (void)to;",
                ),
            ]
        },
    ),
}
