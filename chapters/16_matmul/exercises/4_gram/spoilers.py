"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Both tiles come from a: columns top to top + 63 for the rows of the result, columns left to left + 63 for its columns. "
    "Rows first to first + 15 of a are a step along k.",
    "Thread (x, y) may have rows y, y + 16, y + 32 and y + 48, and columns x, x + 16, x + 32 and x + 48. For each l it loads "
    "4 + 4 floats from shared memory into registers, and makes 16 products.",
    "A tile has 16 x 64 elements and the block 256 threads: each copies four. What lies outside of a is zero in both tiles.",
    "Blocks with left > top may return at once. Blocks with left < top then store each result twice.",
]
WRONG = {
    "above_the_diagonal_nothing": (
        "never written",
        {"gram.cu": [("            if (left < top) out[column * n + row] = sums[i][j];\n", "")]},
    ),
    "blocks_above_the_diagonal_go_on": (
        "threads repeat work",
        {"gram.cu": [("    if (left > top) return;  // above the diagonal, out mirrors what is below\n", "")]},
    ),
    "blocks_of_the_diagonal_mirror": (
        "threads repeat work",
        {"gram.cu": [("if (left < top) out[column", "if (left <= top) out[column")]},
    ),
    "rows_of_a": (
        "n = 2 (a: 5 rows, 2 columns): wrong result",
        {"gram.cu": [("a[l * n + row]", "a[row * k + l]"), ("a[l * n + column]", "a[column * n + l]")]},
    ),
    "one_tile_for_both": (
        "n = 65",
        {"gram.cu": [("columns[l][x + i * step];", "rows[l][x + i * step];")]},
    ),
    "zeros_in_one_tile": (
        "is infinite",
        {"gram.cu": [("l < k && column < n ? a[l * n + column]", "column < n ? a[min(l, k - 1) * n + column]")]},
    ),
    "no_zeros": (
        "which no thread of its block has written",
        {
            "gram.cu": [
                (
                    "rows[i / side][i % side] = l < k && row < n ? a[l * n + row] : 0;",
                    "if (l < k && row < n) rows[i / side][i % side] = a[l * n + row];",
                ),
                (
                    "columns[i / side][i % side] = l < k && column < n ? a[l * n + column] : 0;",
                    "if (l < k && column < n) columns[i / side][i % side] = a[l * n + column];",
                ),
            ]
        },
    ),
    "zeros_only_past_n": (
        "past the end",
        {"gram.cu": [("l < k && row < n", "row < n"), ("l < k && column < n", "column < n")]},
    ),
    "no_barrier_after_the_products": (
        "data race",
        {"gram.cu": [("        __syncthreads();  // nobody needs them any more\n", "")]},
    ),
    "no_barrier_before_the_products": (
        "race",
        {"gram.cu": [("        __syncthreads();  // the tiles are complete\n", "")]},
    ),
    "threads_past_the_edge_return": (
        "barrier left out",
        {
            "gram.cu": [
                ("    float sums[results]", "    if (top + y >= n || left + x >= n) return;\n    float sums[results]"),
            ]
        },
    ),
    "one_result_at_a_time": (
        "1.5 floats from shared memory for each product",
        {
            "gram.cu": [
                ("        for (int l = 0; l < depth; l++) {\n", "        {\n"),
                (
                    "            float of_row[results], of_column[results];\n"
                    "            for (int i = 0; i < results; i++)\n"
                    "                of_row[i] = rows[l][y + i * step], of_column[i] = columns[l][x + i * step];\n",
                    "",
                ),
                (
                    "for (int j = 0; j < results; j++) sums[i][j] += of_row[i] * of_column[j];",
                    "for (int j = 0; j < results; j++)\n"
                    "                    for (int l = 0; l < depth; l++)\n"
                    "                        sums[i][j] += rows[l][y + i * step] * columns[l][x + j * step];",
                ),
            ]
        },
    ),
    "from_device_memory": (
        "0.3984 floats from device memory",
        {
            "gram.cu": [
                (
                    "of_row[i] = rows[l][y + i * step], of_column[i] = columns[l][x + i * step];",
                    "of_row[i] = first + l < k && top + y + i * step < n ? a[(first + l) * n + top + y + i * step] : 0, "
                    "of_column[i] = first + l < k && left + x + i * step < n ? a[(first + l) * n + left + x + i * step] : 0;",
                ),
            ]
        },
    ),
    "lanes_along_k": (
        "16 sectors of device memory, but at most 4 are allowed",
        {
            "gram.cu": [
                (
                    "l = first + i / side, row = top + i % side, column = left + i % side;",
                    "l = first + i % depth, row = top + i / depth, column = left + i / depth;",
                ),
                ("            rows[i / side][i % side] =", "            rows[i % depth][i / depth] ="),
                ("            columns[i / side][i % side] =", "            columns[i % depth][i / depth] ="),
            ]
        },
    ),
    "lines_of_16_floats": (
        "passes of shared memory, but at most 2 are allowed",
        {
            "gram.cu": [
                ("columns[depth][side];", "columns[side][depth];"),
                ("            columns[i / side][i % side] =", "            columns[i % side][i / side] ="),
                ("columns[l][x + i * step];", "columns[x + i * step][l];"),
            ]
        },
    ),
    "one_thread": (
        "one lane alone",
        {
            "gram.cu": [
                (
                    "    if (left > top) return;  // above the diagonal, out mirrors what is below\n",
                    "    if (top + left == 0 && threadIdx.x + threadIdx.y == 0)\n"
                    "        for (int64_t i = 0; i < n; i++)\n"
                    "            for (int64_t j = 0; j < n; j++) {\n"
                    "                float sum = 0;\n"
                    "                for (int64_t l = 0; l < k; l++) sum += a[l * n + i] * a[l * n + j];\n"
                    "                out[i * n + j] = sum;\n"
                    "            }\n"
                    "    if (n >= 0) return;\n",
                ),
            ]
        },
    ),
    "one_block": (
        "expected: by 24 or more",
        {
            "gram.cu": [
                (
                    "    const int64_t top = int64_t(blockIdx.y) * side, left = int64_t(blockIdx.x) * side;\n"
                    "    if (left > top) return;  // above the diagonal, out mirrors what is below\n"
                    "    __shared__ float rows[depth][side], columns[depth][side];\n",
                    "    __shared__ float rows[depth][side], columns[depth][side];\n"
                    "    if (blockIdx.x + blockIdx.y > 0) return;\n"
                    "    for (int64_t top = 0; top < n; top += side)\n"
                    "    for (int64_t left = 0; left <= top; left += side) {\n",
                ),
                (
                    "            if (left < top) out[column * n + row] = sums[i][j];\n        }\n",
                    "            if (left < top) out[column * n + row] = sums[i][j];\n        }\n    }\n",
                ),
            ]
        },
    ),
    "whole_numbers": (
        "is infinite",
        {"gram.cu": [("sums[i][j] += of_row[i] * of_column[j]", "sums[i][j] += int(of_row[i]) * int(of_column[j])")]},
    ),
    "index_as_int": (
        "more than 2^32",
        {
            "gram.cu": [
                ("out[row * n + column]", "out[int(row * n + column)]"),
                ("out[column * n + row]", "out[int(column * n + row)]"),
            ]
        },
    ),
    "index_as_unsigned": (
        "more than 2^32",
        {
            "gram.cu": [
                ("out[row * n + column]", "out[unsigned(row * n + column)]"),
                ("out[column * n + row]", "out[unsigned(column * n + row)]"),
            ]
        },
    ),
    "no_nan": (
        "a NaN in column 69 of a, n = 70, k = 1",
        {
            "gram.cu": [
                (
                    "sums[i][j] += of_row[i] * of_column[j]",
                    "sums[i][j] = fmaxf(sums[i][j] + of_row[i] * of_column[j], -3e38f)",
                )
            ]
        },
    ),
    "rounded": (
        "fractions, n = 70, k = 1",
        {"gram.cu": [("out[row * n + column] = sums[i][j]", "out[row * n + column] = rintf(sums[i][j])")]},
    ),
}
