"""Small breakages of chapter 02, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/02_square/test_square.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
GPU = "tests/chapters/test_operators_gpu.py::test_"
SIDE = GPU + "a_side_stream_needs_no_synchronize"
REUSED = GPU + "the_memory_of_inputs_may_be_reused_when_the_stream_has_got_there"
CU, CPP = "chapters/02_square/square.cu", "chapters/02_square/square.cpp"
DOUBLE, ADD = (f"chapters/02_square/notes/{name}.py" for name in ("inline_kernel", "inline_cuda_add"))
SHAPES, MANY = T + "every_shape_around_a_block", T + "more_rows_or_columns_than_65535_blocks_cover"
STREAM = "c10::cuda::getCurrentCUDAStream()"

MUTANTS = [
    # ---- index, edge, grid-stride in y, empty case, binding
    Mutant(CU, "if (column >= width) return;", "if (column > width) return;", SHAPES,
           why="a thread too many writes the next row's first element"),
    Mutant(CU, "row += int64_t(gridDim.y) * blockDim.y) {\n        const float value = matrix[row * width + column]",
           "row += int64_t(gridDim.y) * blockDim.y) {\n        const float value = matrix[row * height + column]",
           SHAPES),
    Mutant(CU, "row < height; row += int64_t(gridDim.y) * blockDim.y", "row < height; row += height", MANY),
    Mutant(CU, "std::min(blocks_for(height, tile), 65535u)", "blocks_for(height, tile)", MANY),
    Mutant(CU, "if (height == 0 || width == 0) return;  //", "if (height == 0) return;  //",
           OPERATORS + "every_rank_and_nothing_in_each_dimension[02_square.square_matrix]"),
    Mutant(CU, "if (row >= height) return;", "if (row > height) return;",
           SHAPES, why="a thread too many writes beyond the last row"),
    Mutant(CU, "column < width; column += int64_t(gridDim.y) * blockDim.y", "column < width; column += width", MANY),
    Mutant(CU, "std::min(blocks_for(width, tile), 65535u)", "blocks_for(width, tile)", MANY),
    Mutant(CU, "column += int64_t(gridDim.y) * blockDim.y) {\n        const float value = matrix[row * width + column]",
           "column += int64_t(gridDim.y) * blockDim.y) {\n        const float value = matrix[column * height + row]",
           SHAPES),
    Mutant(DOUBLE, "i < n; i += stride) output[i] = 2 * input[i];", "i < n; i += stride) output[i] = input[i];",
           OPERATORS + "right_at_awkward_sizes[forward-02_square.custom_operation]"),
    Mutant(ADD, "i < n; i += stride) c[i] = a[i] + b[i];", "i < n; i += stride) c[i] = a[i] + b[0];",
           OPERATORS + "right_at_awkward_sizes[forward-02_square.add_cuda]"),
    Mutant(CPP, "TORCH_CHECK_VALUE(matrix.dim() == 2,", "TORCH_CHECK_VALUE(matrix.dim() >= 2,",
           T + "other_ranks_are_refused"),
    # ---- another stream than the current one
    Mutant(ADD, f"256, 0, {STREAM}>>>", "256, 0, nullptr>>>",
           [test + "[02_square.add_cuda]" for test in (SIDE, REUSED)], gpus=1),
]  # fmt: skip
