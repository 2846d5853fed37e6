"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "square_matrix_kernel computes row and column. Here no loop is needed: the grid covers all rows.",
    "An element's index in memory is row * width + column; the number for its row is factors[row].",
    "Threads beyond the right or the lower edge return first.",
]
WRONG = {
    "factor_of_the_column": ("out of bounds", {"scale_rows.cu": [("[row]", "[column]")]}),
    "no_right_edge": ("out of bounds", {"scale_rows.cu": [("height || column >= width", "height")]}),
    "index_of_32_bits": (
        "the last blocks write element 1277978, and not the last one, 4296245274",
        {
            "scale_rows.cu": [
                (
                    "result[row * width + column] = factors[row] * matrix[row * width + column];",
                    "const int i = row * width + column;\n    result[i] = factors[row] * matrix[i];",
                )
            ]
        },
    ),
    "load_of_32_bits": (
        "expected 6",
        {
            "scale_rows.cu": [
                (
                    "= factors[row] * matrix[row * width + column];",
                    "= factors[row] * matrix[unsigned(row * width + column)];",
                )
            ]
        },
    ),
    "factors_of_16_bits": ("expected 6", {"scale_rows.cu": [("factors[row]", "factors[row % 65536]")]}),
    "every_block_does_all_rows": (
        "1680 elements, and 5040 stores",
        {
            "scale_rows.cu": [
                (
                    "const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;\n"
                    "    if (row >= height || column >= width) return;\n    result",
                    "if (column >= width) return;\n"
                    "    for (int64_t row = threadIdx.y; row < height; row += blockDim.y) result",
                )
            ]
        },
    ),
    "height_as_stride": (
        "data race",
        {
            "scale_rows.cu": [
                (
                    "width + column] = factors[row] * matrix[row * width",
                    "height + column] = factors[row] * matrix[row * height",
                )
            ]
        },
    ),
    "factors_unread": (
        "rows = 2 (matrix: 2 rows, 4 columns): wrong result",
        {
            "scale_rows.cu": [("factors[row] * matrix", "(row + 2) * matrix")],
        },
    ),
    "along_columns": (
        "each load of a warp touches 9 sectors",
        {
            "scale_rows.cu": [
                ("int64_t(blockIdx.x) * blockDim.x + threadIdx.x", "int64_t(blockIdx.x) * blockDim.x + threadIdx.y"),
                ("int64_t(blockIdx.y) * blockDim.y + threadIdx.y", "int64_t(blockIdx.y) * blockDim.y + threadIdx.x"),
            ],
        },
    ),
    "factor_as_int": (
        "rows = 2 (matrix: 2 rows, 4 columns): wrong result",
        {"scale_rows.cu": [("= factors[row] * matrix", "= int(factors[row]) * matrix")]},
    ),
    "zeros_left_out": (
        "0, inf and NaN too, rows = 5 (matrix: 5 rows, 5 columns): wrong result",
        {
            "scale_rows.cu": [
                ("= factors[row] * matrix", "= matrix[row * width + column] == 0 ? 0 : factors[row] * matrix")
            ]
        },
    ),
    "fixed_grid": (
        "rows = 80 (matrix: 80 rows, 82 columns): wrong result",
        {"scale_rows.cu": [("grid(blocks_for(width, tile), blocks_for(height, tile))", "grid(3, 3)")]},
    ),
}
