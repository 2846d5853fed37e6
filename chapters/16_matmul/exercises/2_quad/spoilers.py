"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "A block has the same tiles and a quarter of the threads, 32 x 8. What has to happen four times in a thread?",
    "Thread (x, y) may have rows y, y + 8, y + 16 and y + 24 of column x. It copies the same four places of each tile.",
    "float sums[4] = {}; for each l, const float of_b = b_tile[l][x]; serves four products.",
]
WRONG = {
    "one_result_after_another": (
        "2 floats from shared memory for each product",
        {
            "quad.cu": [
                (
                    "        for (int l = 0; l < side; l++) {\n"
                    "            const float of_b = b_tile[l][x];  // for four products\n"
                    "            for (int i = 0; i < results; i++) sums[i] += a_tile[y + i * step][l] * of_b;\n"
                    "        }\n",
                    "        for (int i = 0; i < results; i++)\n"
                    "            for (int l = 0; l < side; l++) sums[i] += a_tile[y + i * step][l] * b_tile[l][x];\n",
                )
            ]
        },
    ),
    "sums_in_shared_memory": (
        "floats from shared memory for each product",
        {
            "quad.cu": [
                (
                    "    float sums[results] = {};\n",
                    "    __shared__ float all_sums[step][results][side];\n"
                    "    for (int i = 0; i < results; i++) all_sums[y][i][x] = 0;\n",
                ),
                ("sums[i] += a_tile", "all_sums[y][i][x] += a_tile"),
                ("= sums[i];", "= all_sums[y][i][x];"),
            ]
        },
    ),
    "no_tile_of_b": (
        "floats from device memory for each product",
        {
            "quad.cu": [
                ("b_tile[l][x];  // for", "first + l < k && left + x < n ? b[(first + l) * n + left + x] : 0;  // for"),
                (", b_tile[side][side];", ";"),
                ("            b_tile[r][x] = first + r < k && left + x < n ? b[(first + r) * n + left + x] : 0;\n", ""),
            ]
        },
    ),
    "no_tile_of_a": (
        "floats from device memory for each product",
        {
            "quad.cu": [
                (
                    "sums[i] += a_tile[y + i * step][l] * of_b;",
                    "if (top + y + i * step < m && first + l < k)\n"
                    "                    sums[i] += a[(top + y + i * step) * k + first + l] * of_b;",
                ),
                ("a_tile[side][side], ", ""),
                ("            a_tile[r][x] = top + r < m && first + x < k ? a[(top + r) * k + first + x] : 0;\n", ""),
            ]
        },
    ),
    "a_quarter_of_the_tile": (
        "which no thread of its block has written",
        {"quad.cu": [("for (int r = y; r < side; r += step) {", "for (int r = y; r < step; r += step) {")]},
    ),
    "a_quarter_of_the_results": (
        "never written",
        {"quad.cu": [("    for (int i = 0; i < results; i++) {\n", "    for (int i = 0; i < 1; i++) {\n")]},
    ),
    "all_threads_stay": (
        "threads repeat work that others have done",
        {
            "quad.cu": [
                ("dim3(side, step)", "dim3(side, side)"),
                ("y = int(threadIdx.y);", "y = int(threadIdx.y) % step;"),
                ("            b_tile[r][x] = first", "            if (threadIdx.y < step) b_tile[r][x] = first"),
                ("            a_tile[r][x] = top", "            if (threadIdx.y < step) a_tile[r][x] = top"),
            ]
        },
    ),
    "one_column_of_the_block": (
        "expected: by 32 or more",
        {
            "quad.cu": [
                ("dim3(side, step)", "dim3(side, 1)"),
                ("results = 4, step = side / results", "results = 32, step = 1"),
            ]
        },
    ),
    "no_barrier_after_the_products": (
        "data race",
        {"quad.cu": [("        __syncthreads();  // nobody needs them any more\n", "")]},
    ),
    "no_barrier_before_the_products": (
        "race",
        {"quad.cu": [("        __syncthreads();  // the tiles are complete\n", "")]},
    ),
    "no_zeros_past_k": (
        "past the end of b",
        {"quad.cu": [("first + r < k && left + x < n", "left + x < n")]},
    ),
    "stores_other_rows_than_it_adds": (
        "m = 3 (a: 3 rows, 40 columns) (b: 40 rows, 5 columns): wrong result",
        {"quad.cu": [("const int64_t row = top + y + i * step;", "const int64_t row = top + y * results + i;")]},
    ),
    "columns_of_a_capped_grid": (
        "more than 2^32, 8388608 threads, and each computes 4 elements",
        {"quad.cu": [("grid(blocks_for(n, side)", "grid(min(blocks_for(n, side), 16u)")]},
    ),
    "rows_of_a_capped_grid": (
        "more than 2^32, 33570816 threads, and each computes 4 elements",
        {"quad.cu": [("blocks_for(m, side))", "min(blocks_for(m, side), 64u))")]},
    ),
    "a_grid_of_three": (
        "never written",
        {"quad.cu": [("blocks_for(n, side), blocks_for(m, side)", "3, 3")]},
    ),
    "index_as_int": (
        "more than 2^32",
        {"quad.cu": [("out[row * n + left + x]", "out[int(row * n + left + x)]")]},
    ),
    "index_of_a_as_int": (
        "more than 2^32",
        {"quad.cu": [("a[(top + r) * k + first + x]", "a[int((top + r) * k + first + x)]")]},
    ),
    "index_of_a_as_unsigned": (
        "the last result is 0, expected 4097",
        {"quad.cu": [("a[(top + r) * k + first + x]", "a[unsigned((top + r) * k + first + x)]")]},
    ),
    "index_as_unsigned": (
        "more than 2^32",
        {"quad.cu": [("out[row * n + left + x]", "out[unsigned(row * n + left + x)]")]},
    ),
    "index_of_b_as_int": (
        "m = 1, n = 2147483649, k = 3, b has 6442450947 elements",
        {"quad.cu": [("b[(first + r) * n + left + x]", "b[int((first + r) * n + left + x)]")]},
    ),
    "zeros_past_k_in_a_alone": (
        "are infinite, and a NaN is in b: m = 35, n = 5, k = 1",
        {
            "quad.cu": [
                (
                    "first + r < k && left + x < n ? b[(first + r) * n + left + x]",
                    "left + x < n ? b[min(first + r, k - 1) * n + left + x]",
                )
            ]
        },
    ),
    "tiles_of_whole_numbers": (
        "fractions: m = 35, n = 35, k = 1",
        {"quad.cu": [("__shared__ float a_tile", "__shared__ int a_tile")]},
    ),
}
