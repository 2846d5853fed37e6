"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "At an edge, which thread stores the element that is not written? Does it have an element to load?",
    "Every thread of the block has to come to every barrier: put the bounds check around the load alone.",
    "A fast thread goes on to the next tile and writes to shared memory. What keeps it from doing so before a slow "
    "thread has read this tile?",
    "A second __syncthreads() at the end of the loop's body, outside of any if.",
]
WRONG = {
    "one_barrier": (
        "data race",
        {"strip.cu": [("        __syncthreads();  // all have read this tile: the next one may overwrite it\n", "")]},
    ),
    "barrier_in_the_if": (
        "__syncthreads()",
        {
            "strip.cu": [
                (
                    "if (top + y < rows && left + x < columns) shared[y][x] = in[(top + y) * columns + "
                    "left + x];\n"
                    "        __syncthreads();",
                    "if (top + y < rows && left + x < columns) {\n"
                    "            shared[y][x] = in[(top + y) * columns + left + x];\n"
                    "            __syncthreads();\n"
                    "        }",
                )
            ]
        },
    ),
    "barrier_in_the_wrong_place": (
        "data race",
        {
            "strip.cu": [
                ("__syncthreads();\n", "__syncthreads();\n        __syncthreads();\n"),
                ("        __syncthreads();  // all have read this tile: the next one may overwrite it\n", ""),
            ]
        },
    ),
    "index_of_32_bits": (
        "30064771107 elements, more than 2^32",
        {
            "strip.cu": [
                (
                    "const int x = int(threadIdx.x), y = int(threadIdx.y);",
                    "const int x = int(threadIdx.x), y = int(threadIdx.y), h = rows, w = columns;",
                ),
                (
                    "if (top + y < rows && left + x < columns) shared[y][x] = in[(top + y) * columns + left + x];",
                    (
                        "const int t = top, l = left;\n"
                        "        if (t + y < h && l + x < w) shared[y][x] = in[(t + y) * w + l + x];"
                    ),
                ),
                (
                    "if (left + y < columns && top + x < rows) out[(left + y) * rows + top + x] = shared[x][y];",
                    "if (l + y < w && t + x < h) out[(l + y) * h + t + x] = shared[x][y];",
                ),
            ],
        },
    ),
    "no_shared_memory": (
        "each store of a warp touches 32 sectors",
        {
            "strip.cu": [
                ("    __shared__ float shared[side][side + 1];\n", ""),
                (
                    (
                        "        if (top + y < rows && left + x < columns) shared[y][x] = in[(top + y) * "
                        "columns + left + x];\n"
                        "        __syncthreads();\n"
                        "        if (left + y < columns && top + x < rows) out[(left + y) * rows + top + x] "
                        "= shared[x][y];\n"
                        "        __syncthreads();  // all have read this tile: the next one may overwrite it\n"
                    ),
                    "        if (top + y < rows && left + x < columns) out[(left + x) * rows + top + y] "
                    "= in[(top + y) * columns + left + x];\n",
                ),
            ],
        },
    ),
    "one_thread_does_all": (
        "6144 stores, each by one lane alone",
        {
            "strip.cu": [
                (
                    "    for (int64_t top = 0; top < rows; top += side) {",
                    (
                        "    if (x == 0 && y == 0 && left == 0)\n"
                        "        for (int64_t r = 0; r < rows; r++)\n"
                        "            for (int64_t c = 0; c < columns; c++) out[c * rows + r] = in[r * columns + c];\n"
                        "    for (int64_t top = rows; top < rows; top += side) {"
                    ),
                )
            ],
        },
    ),
    "leaves_before_the_barrier": (
        "barrier left out: 800 threads",
        {
            "strip.cu": [
                (
                    (
                        "        if (top + y < rows && left + x < columns) shared[y][x] = in[(top + y) * "
                        "columns + left + x];\n"
                        "        __syncthreads();\n"
                    ),
                    (
                        "        if (top + y < rows && left + x < columns) shared[y][x] = in[(top + y) * "
                        "columns + left + x];\n"
                        "        if (left + y >= columns) return;\n"
                        "        __syncthreads();\n"
                    ),
                )
            ],
        },
    ),
    "leaves_before_the_loop": (
        "barrier left out: 625 threads",
        {
            "strip.cu": [
                (
                    "    for (int64_t top = 0;",
                    ("    if (left + x >= columns && left + y >= columns) return;\n    for (int64_t top = 0;"),
                )
            ],
        },
    ),
    "first_barrier_missing": (
        "of 4224 bytes, shared[0][1], at strip.cu",
        {
            "strip.cu": [(("left + x];\n        __syncthreads();\n"), "left + x];\n")],
        },
    ),
    "three_tiles": (
        "7 columns, rows = 300",
        {
            "strip.cu": [
                (
                    "for (int64_t top = 0; top < rows; top += side) {",
                    "for (int64_t top = 0; top < rows && top < 3 * side; top += side) {",
                )
            ]
        },
    ),
    "fixed_grid": ("7 rows, columns = 1120", {"strip.cu": [("<<<blocks_for(columns, side)", "<<<4")]}),
    "load_of_32_bits": (
        "the last one is 5, expected 3",
        {"strip.cu": [("in[(top + y) * columns + left + x]", "in[unsigned((top + y) * columns + left + x)]")]},
    ),
    "column_of_32_bits": (
        "7 rows, 4294967301 columns",
        {"strip.cu": [("left = int64_t(blockIdx.x) * side", "left = blockIdx.x * unsigned(side)")]},
    ),
    "stride_of_32_bits": (
        "7 rows, 4294967301 columns",
        {"strip.cu": [("in[(top + y) * columns", "in[(top + y) * unsigned(columns)")]},
    ),
    "row_of_out_of_32_bits": (
        "7 rows, 4294967301 columns",
        {"strip.cu": [("out[(left + y) * rows", "out[unsigned(left + y) * unsigned(rows)")]},
    ),
}
