"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "For k = 1, each result is 16 times as large as it should be. How many elements along k does a tile have?",
    "Rows of a past the edge may hold any number, because their sums are not stored. Which sums need the elements past k?",
    "What lies past k in a tile is multiplied and added. What adds nothing?",
    "first + i % depth < k ? a[...] : 0, and the same for b: 0 times infinity is NaN, so zeros in one tile are not enough.",
]
WRONG = {
    "zeros_in_a_alone": (
        "are infinite: m = 70, n = 5, k = 1",
        {
            "tail.cu": [
                ("row_of_b = first + i / side,", "row_of_b = min(first + i / side, k - 1),"),
                ("row_of_b < k ? b[row_of_b * n + column_of_b] : 0", "b[row_of_b * n + column_of_b]"),
            ]
        },
    ),
    "zeros_in_b_alone": (
        "are infinite: m = 70, n = 5, k = 1",
        {
            "tail.cu": [
                ("column_of_a = first + i % depth;", "column_of_a = min(first + i % depth, k - 1);"),
                ("column_of_a < k ? a[row_of_a * k + column_of_a] : 0", "a[row_of_a * k + column_of_a]"),
            ]
        },
    ),
    "factors_of_zero": (
        "are infinite: m = 70, n = 5, k = 1",
        {
            "tail.cu": [
                (
                    "column_of_a < k ? a[row_of_a * k + column_of_a] : 0",
                    "a[row_of_a * k + min(column_of_a, k - 1)] * float(column_of_a < k)",
                ),
                (
                    "row_of_b < k ? b[row_of_b * n + column_of_b] : 0",
                    "b[min(row_of_b, k - 1) * n + column_of_b] * float(row_of_b < k)",
                ),
            ]
        },
    ),
    "does_not_copy": (
        "which no thread of its block has written",
        {
            "tail.cu": [
                (
                    "a_tile[i / depth][i % depth] = column_of_a < k ? a[row_of_a * k + column_of_a] : 0",
                    "if (column_of_a < k) a_tile[i / depth][i % depth] = a[row_of_a * k + column_of_a]",
                ),
                (
                    "b_tile[i / side][i % side] = row_of_b < k ? b[row_of_b * n + column_of_b] : 0",
                    "if (row_of_b < k) b_tile[i / side][i % side] = b[row_of_b * n + column_of_b]",
                ),
            ]
        },
    ),
    "reads_the_next_row": (
        "are infinite: m = 70, n = 5, k = 1",
        {
            "tail.cu": [
                (
                    "column_of_a < k ? a[row_of_a * k + column_of_a] : 0",
                    "row_of_a * k + column_of_a < m * k ? a[row_of_a * k + column_of_a] : 0",
                ),
            ]
        },
    ),
    "no_bounds_along_k": (
        "past the end",
        {
            "tail.cu": [
                ("column_of_a < k ? a[row_of_a * k + column_of_a] : 0", "a[row_of_a * k + column_of_a]"),
                ("row_of_b < k ? b[row_of_b * n + column_of_b] : 0", "b[row_of_b * n + column_of_b]"),
            ]
        },
    ),
    "no_bounds_of_rows": (
        "past the end",
        {"tail.cu": [("row_of_a = min(top + i / depth, m - 1)", "row_of_a = top + i / depth")]},
    ),
    "stops_early": (
        "wrong result",
        {
            "tail.cu": [
                ("column_of_a < k ? a[row", "column_of_a < k / depth * depth ? a[row"),
                ("row_of_b < k ? b[row", "row_of_b < k / depth * depth ? b[row"),
            ]
        },
    ),
    "loads_across_rows": (
        "sectors",
        {
            "tail.cu": [
                (
                    "min(top + i / depth, m - 1), column_of_a = first + i % depth",
                    "min(top + i % side, m - 1), column_of_a = first + i / side",
                ),
                ("a_tile[i / depth][i % depth] =", "a_tile[i % side][i / side] ="),
            ]
        },
    ),
    "one_thread_copies": (
        "threads repeat work",
        {
            "tail.cu": [
                (
                    "            // Their results are not stored.",
                    "            for (int i = 0; i < side * depth && thread == 0; i++) {\n"
                    "                const int64_t row = top + i / depth, column = first + i % depth;\n"
                    "                a_tile[i / depth][i % depth] = row < m && column < k ? a[row * k + column] : 0;\n"
                    "            }\n"
                    "            // Their results are not stored.",
                ),
                (
                    "            a_tile[i / depth][i % depth] = column_of_a <",
                    "            if (false) a_tile[i / depth][i % depth] = column_of_a <",
                ),
            ]
        },
    ),
    "index_of_a_as_unsigned": (
        "the last one is 2050, expected 1025",
        {"tail.cu": [("a[row_of_a * k + column_of_a]", "a[unsigned(row_of_a * k + column_of_a)]")]},
    ),
    "numbers_of_32_bits": (
        "m = 1, n = 2147483649, k = 3, b has 6442450947 elements",
        {
            "tail.cu": [
                ("column_of_b = min(left + i % side, n - 1);", "column_of_b = int(min(left + i % side, n - 1));")
            ]
        },
    ),
    "whole_numbers": (
        "fractions: m = 70, n = 5, k = 1",
        {
            "tail.cu": [
                ("row_of_b < k ? b[row_of_b * n + column_of_b]", "row_of_b < k ? rintf(b[row_of_b * n + column_of_b])")
            ]
        },
    ),
}
