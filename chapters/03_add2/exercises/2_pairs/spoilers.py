"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "out has rows * columns elements, one after another in memory. Give each thread one of them, number i of the grid, and "
    "launch as many threads as add2.cu would for so many elements.",
    "Element i of out lies in row i / columns, rounded down, and the remainder i % columns is its column.",
    "The launcher is that of add2.cu with n = rows * columns. It returns for n = 0, "
    "launches blocks_for(n, 256) blocks of 256 "
    "threads on the stream, and ends with CHECK_LAUNCH().",
]
WRONG = {
    "vectors_exchanged": (
        "out of bounds",
        {"pairs.cu": [("a[i / columns] + b[i % columns]", "a[i % columns] + b[i / columns]")]},
    ),
    "by_rows": (
        "wrong result",
        {
            "pairs.cu": [
                ("a[i / columns] + b[i % columns]", "a[i % columns] + b[i / columns]"),
                ("(out, a, b, n, columns)", "(out, a, b, n, rows)"),
            ]
        },
    ),
    "default_stream": (
        "pairs_kernel is on the default stream",
        {"pairs.cu": [("threads, 0, stream>>>", "threads>>>")]},
    ),
    "no_check": ("without CHECK_LAUNCH()", {"pairs.cu": [("    CHECK_LAUNCH();\n", "")]}),
    "no_bounds_check": ("out of bounds", {"pairs.cu": [("if (i < n) out", "out")]}),
    "no_columns": ("no columns, rows = 1: ", {"pairs.cu": [("if (n == 0)", "if (rows == 0)")]}),
    "index_of_32_bits": (
        "the last blocks write element 1277978, and not the last one, 4296245274",
        {"pairs.cu": [("int64_t(blockIdx.x) *", "blockIdx.x *")]},
    ),
    "index_as_int": (
        "the last blocks write element 1277978, and not the last one, 4296245274",
        {"pairs.cu": [("const int64_t i = int64_t(blockIdx.x)", "const int i = blockIdx.x")]},
    ),
    "number_of_32_bits": (
        "more than 2^32, and 1278208 threads, as for 1277979",
        {"pairs.cu": [("const int64_t n =", "const int n =")]},
    ),
    "every_thread_goes_on": (
        "threads repeat work that others have done",
        {
            "pairs.cu": [
                (
                    "if (i < n) out[i] = a[i / columns] + b[i % columns]",
                    "for (int64_t k = i; k < n; k++) out[k] = a[k / columns] + b[k % columns]",
                )
            ]
        },
    ),
    "a_block_for_each_row_along_y": (
        "1 column, rows = 70000: launch_pairs failed: invalid configuration argument",
        {
            "pairs.cu": [
                (
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
                    "const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    const int64_t i = blockIdx.y * columns + column;",
                ),
                ("if (i < n)", "if (column < columns)"),
                ("<<<blocks_for(n, threads)", "<<<dim3(blocks_for(columns, threads), unsigned(rows))"),
            ]
        },
    ),
    "a_launch_for_each_row": (
        "launches 33 kernels: does the host loop",
        {
            "pairs.cu": [
                (
                    "pairs_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, a, b, n, columns);",
                    "for (int64_t row = 0; row < rows; row++)\n"
                    "        pairs_kernel<<<blocks_for(columns, threads), threads, 0, stream>>>(\n"
                    "            out + row * columns, a + row, b, columns, columns);",
                )
            ]
        },
    ),
    "threads_for_the_rows": (
        "? was never written",
        {"pairs.cu": [("blocks_for(n, threads)", "blocks_for(rows, threads)")]},
    ),
    "ends_the_program": (
        "ended before its check was complete",
        {
            "pairs.cu": [("    constexpr int threads = 256;\n", ("    constexpr int threads = 256;\n    exit(0);\n"))],
        },
    ),
    "place_of_32_bits": (
        "the last one is 5, expected 10",
        {
            "pairs.cu": [("a[i / columns] + b", "a[int(i) / int(columns)] + b")],
        },
    ),
    "place_in_b_of_32_bits": (
        "the last one is 12, expected 10",
        {
            "pairs.cu": [("b[i % columns]", "b[unsigned(i) % columns]")],
        },
    ),
    "one_block_with_a_loop": (
        "1600 stores, all by 8 warps",
        {
            "pairs.cu": [
                (
                    "    if (i < n) out[i] = a[i / columns] + b[i % columns];",
                    "    for (int64_t k = i; k < n; k += blockDim.x) out[k] = a[k / columns] + b[k % columns];",
                ),
                ("<<<blocks_for(n, threads)", "<<<1"),
            ],
        },
    ),
    "fixed_grid": (
        "3 columns, rows = 38400: wrong result",
        {
            "pairs.cu": [("<<<blocks_for(n, threads)", "<<<400")],
        },
    ),
    "blocks_as_float": (
        "32777 columns, rows = 131075: 4296245275 elements, more than 2^32, 4296245248 threads, and each computes one",
        {"pairs.cu": [("<<<blocks_for(n, threads)", "<<<unsigned(ceilf(n / float(threads)))")]},
    ),
    "grid_that_ends_without_a_loop": (
        "32777 columns, rows = 131075: 4296245275 elements, more than 2^32, 268435456 threads, and each computes one",
        {"pairs.cu": [("<<<blocks_for(n, threads)", "<<<n < 1 << 28 ? blocks_for(n, threads) : 1 << 20")]},
    ),
    "as_int": ("wrong result", {"pairs.cu": [("a[i / columns] + b", "int(a[i / columns]) + b")]}),
}
