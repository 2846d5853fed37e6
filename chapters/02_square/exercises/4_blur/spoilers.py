"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "A thread whose column is beyond the right edge still has an i below height * width. Whose element is that?",
    "i - 1 is the element to the left, unless column is 0: then it is the last one of the row above.",
    "Ask for row and column, not for i, in all three conditions.",
]
WRONG = {
    "threads_beyond_the_edge": (
        "two threads write the same element; which rows and columns are theirs?",
        {
            "blur.cu": [
                ("    if (row >= height || column >= width) return;\n", ""),
                (
                    "const int64_t i = row * width + column;",
                    "const int64_t i = row * width + column;\n    if (i >= height * width) return;",
                ),
            ]
        },
    ),
    "neighbour_of_the_next_row": ("wrong result", {"blur.cu": [("column <", "i < height *")]}),
    "index_of_32_bits": (
        "the last blocks write element 1277978",
        {
            "blur.cu": [("const int64_t i = row", "const int i = row")],
        },
    ),
    "load_of_32_bits": (
        "the last one is 3.66667, expected 3",
        {
            "blur.cu": [("(left + matrix[i] + right)", "(left + matrix[unsigned(i)] + right)")],
        },
    ),
    "one_thread": (
        "1640 stores, each by one lane alone",
        {
            "blur.cu": [
                (
                    (
                        "    if (row >= height || column >= width) return;\n"
                        "    const int64_t i = row * width + column;\n"
                    ),
                    (
                        "    if (row > 0 || column > 0) return;\n"
                        "    for (int64_t i = 0; i < height * width; i++) {\n"
                        "        const int64_t column = i % width;\n"
                    ),
                ),
                ("    result[i] = (left", "    result[i] = (left"),
                (" + right) / 3;\n", (" + right) / 3;\n    }\n")),
            ],
        },
    ),
    "a_thread_for_each_row": (
        "1640 stores, each by 2 lanes of a warp",
        {
            "blur.cu": [
                (
                    (
                        "    if (row >= height || column >= width) return;\n"
                        "    const int64_t i = row * width + column;\n"
                    ),
                    (
                        "    if (row >= height || column > 0) return;\n"
                        "    for (int64_t column = 0; column < width; column++) {\n"
                        "    const int64_t i = row * width + column;\n"
                    ),
                ),
                (" + right) / 3;\n", (" + right) / 3;\n    }\n")),
            ],
        },
    ),
    "sum_as_int": (
        "wrong result",
        {"blur.cu": [("(left + matrix[i] + right) / 3", "int(left + matrix[i] + right) / 3")]},
    ),
    "half_precision": (
        "wrong result",
        {
            "blur.cu": [
                ('#include "blur.h"\n', '#include "blur.h"\n\n#include <cuda_fp16.h>\n'),
                ("(left + matrix[i] + right) / 3", "__half2float(__float2half((left + matrix[i] + right) / 3))"),
            ]
        },
    ),
    "fixed_grid": (
        "rows = 80 (matrix: 80 rows, 81 columns): wrong result",
        {"blur.cu": [("grid(blocks_for(width, tile), blocks_for(height, tile))", "grid(3, 3)")]},
    ),
}
