"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Which elements have lanes 0 and 1 of a warp? They differ in threadIdx.x only.",
    "Where threadIdx.x counts columns, neighbouring lanes have neighbours in a row. The grid has to change as well.",
]
WRONG = {
    "only_the_kernel": (
        "? was never written",
        {"negate.cu": [("width, tile), blocks_for(height", "height, tile), blocks_for(width")]},
    ),
    "every_block_does_all_rows": (
        "16384 elements, and 262144 stores",
        {
            "negate.cu": [
                (
                    "const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;\n"
                    "    if (row >= height || column >= width) return;\n    result",
                    "if (column >= width) return;\n"
                    "    for (int64_t row = threadIdx.y; row < height; row += blockDim.y) result",
                )
            ]
        },
    ),
    "one_column": (
        "touches 32 sectors",
        {
            "negate.cu": [
                (
                    "const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;",
                    "const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    const int64_t column = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;",
                ),
                (
                    "tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile",
                    "tile * tile, 1), grid(blocks_for(height, tile * tile), blocks_for(width, 1",
                ),
            ]
        },
    ),
    "index_of_32_bits": (
        "the last blocks write element 1277978",
        {
            "negate.cu": [
                (
                    "result[row * width + column] = -matrix[row * width + column]",
                    ("const int i = row * width + column;\n    result[i] = -matrix[i]"),
                )
            ],
        },
    ),
    "fixed_grid": (
        "rows = 320 (input: 320 rows, 322 columns): wrong result",
        {
            "negate.cu": [("grid(blocks_for(width, tile), blocks_for(height, tile))", "grid(16, 16)")],
        },
    ),
    "minus_the_absolute_value": (
        "wrong result",
        {
            "negate.cu": [("= -matrix[row * width + column]", "= -fabsf(matrix[row * width + column])")],
        },
    ),
    "grid_that_ends_without_a_loop": (
        "33554432 elements, 16776960 threads, and each computes one",
        {
            "negate.cu": [
                ("blocks_for(height, tile))", "blocks_for(height, tile) < 65535 ? blocks_for(height, tile) : 65535)")
            ]
        },
    ),
    "load_of_32_bits": (
        "expected -3",
        {"negate.cu": [("-matrix[row * width + column]", "-matrix[unsigned(row * width + column)]")]},
    ),
    "columns_of_a_capped_grid": (
        "131075 rows, 32777 columns: 4296245275 elements, more than 2^32, 33558528 threads, and each computes one element",
        {"negate.cu": [("grid(blocks_for(width, tile)", "grid(min(blocks_for(width, tile), 16u)")]},
    ),
    "columns_of_4096_blocks": (
        "4097 rows, 1048585 columns",
        {"negate.cu": [("grid(blocks_for(width, tile)", "grid(min(blocks_for(width, tile), 4096u)")]},
    ),
    "four_lanes_down_a_column": (
        "uses 12%: too few lanes take part",
        {
            "negate.cu": [
                (
                    "const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;",
                    "const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    const int64_t column = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;",
                ),
                (
                    "tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile",
                    "4, 1), grid(blocks_for(height, 4), blocks_for(width, 1",
                ),
            ]
        },
    ),
    "from_zero": ("of 0, -0 is expected", {"negate.cu": [("= -matrix", "= 0 - matrix")]}),
}
