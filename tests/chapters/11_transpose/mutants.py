"""Small breakages of chapter 11, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/11_transpose/test_transpose.py::test_"
REGISTERED = "tests/chapters/test_registered.py::test_"
CU, CPP, MAIN, COUNTS = (
    f"chapters/11_transpose/{name}" for name in ("transpose.cu", "transpose.cpp", "main.py", "counts.py")
)
RIGHT, MARGINS, THIN = T + "every_kernel_at_every_kind_of_size", T + "between_margins", T + "strips_of_thin_matrices"
SHIFT, PLACE, ENDS = T + "strips_at_every_shift", T + "strips_at_every_place_of_a_pack", T + "strips_between_margins"
KERNELS = "tests/chapters/test_chapters.py::test_the_memory_check_finds_nothing_in_the_tests_of_kernels[11_transpose]"
ADDRESSES, COUNTED = T + "the_addresses_that_are_counted_are_the_kernels", T + "strips_moves_packs_and_whole_sectors"


MUTANTS = [
    # ---- tiles and launches
    Mutant(CU, "down = unsigned((rows + tall - 1) / tall)", "down = unsigned(rows / tall + 1)", RIGHT,
           why="a line of tiles too many where the rows are a multiple of the tile's"),
    Mutant(CU, "across = unsigned((columns + wide - 1) / wide)", "across = unsigned(columns / wide + 1)", RIGHT),
    Mutant(CU, """line = blockIdx.x / down;  // a column of tiles; a GPU divides 32 bits faster than 64
        matrix = line / across * rows * columns;
        row = int64_t(blockIdx.x % down) * tall;
        column = int64_t(line % across) * wide;""", """line = blockIdx.x / across;
        matrix = line / down * rows * columns;
        row = int64_t(line % down) * tall;
        column = int64_t(blockIdx.x % across) * wide;""", ADDRESSES, why="right, and slow: along a row first"),
    Mutant(CU, "matrix = line / across * rows * columns;", "matrix = 0;", RIGHT),
    Mutant(CU, "if (matrices == 0 || rows == 0 || columns == 0) return;", "if (matrices == 0) return;", RIGHT),
    Mutant(CU, "out + m * rows * columns, in +", "out, in +",
           T + "more_than_2_to_the_31_elements", gpus=1),
    # ---- the kernels
    Mutant(CU, "if (row < rows && column < columns) out[", "if (row < rows) out[", MARGINS),
    Mutant(CU, "shared[y][x] = in[y * columns + x];\n    __syncthreads();  //",
           "shared[y][x] = in[y * columns + x];\n    //", RIGHT),
    Mutant(CU, "x ^ y] = in[y * columns + x];  // swizzled\n    __syncthreads();", "x ^ y] = in[y * columns + x];",
           RIGHT),
    Mutant(CU, "shared[y * V + k][x ^ step * y] = packs[k];\n    }\n    __syncthreads();",
           "shared[y * V + k][x ^ step * y] = packs[k];\n    }", RIGHT),
    Mutant(CU, "shared[y][x ^ y] = in", "shared[y][x] = in", RIGHT),
    Mutant(CU, "packs[k] = shared[x * V + k][y ^ step * x];", "packs[k] = shared[x * V + k][y];", RIGHT),
    Mutant(CU, "__shared__ T shared[side][side + bank<T>];", "__shared__ T shared[side][side];", ADDRESSES,
           why="right, and slow: the elements of a column lie in one bank"),
    Mutant(CU, "constexpr int bank = sizeof(T) < 4 ? 4 / sizeof(T) : 1;", "constexpr int bank = 1;", ADDRESSES,
           why="right, and two rows of 64 short elements begin in the same bank"),
    Mutant(CU, "step = down == 4 ? 2 : 1;", "step = 1;", T + "64_rows_of_bytes_have_a_tile_of_their_own",
           why="right, and slow: bank conflicts"),
    Mutant(CU, "    x = thread % down, y = thread / down;", "    //", RIGHT),
    Mutant(CU, "turned.values[k] = packs[k].values[j];", "turned.values[k] = packs[j].values[k];", RIGHT),
    Mutant(CU, "rows % V == 0 && columns % V == 0 &&", "columns % V == 0 &&", RIGHT),
    Mutant(CU, "rows % V == 0 && columns % V == 0 &&", "rows % V == 0 &&", RIGHT),
    Mutant(CU, "if (rows == 1 || columns == 1) {", "if (rows == 1 || columns <= 3) {", RIGHT),
    # ---- strips
    Mutant(CU, "if (pack >= packs) pack -= packs, line++;", "if (pack > packs) pack -= packs, line++;", RIGHT),
    Mutant(CU, "min(rows - tile.row, int64_t(tall + S))", "min(rows - tile.row, int64_t(tall))", SHIFT,
           why="without the rows of a sector more"),
    Mutant(CU, "min(columns - tile.column, int64_t(wide))", "columns - tile.column", THIN),
    Mutant(CU, "one ? length : int(min(columns - tile.column, int64_t(width + V)));",
           "tile.column + width < columns ? length + V : length;", KERNELS, why="right, and reads past the end of `in`"),
    Mutant(CU, "!FEW_ROWS && width == columns;", "false;", COUNTED, why="right, and slow: each row is a line of few elements"),
    Mutant(CU, "packs = (length + 2 * V - 2) / V;", "packs = (length + V - 1) / V;", PLACE),
    Mutant(CU, "packs * V + int(columns % V), right", "packs * V, right", PLACE, why="packs that are not aligned"),
    Mutant(CU, "V * height + beyond(out, V) :", "V * height :", THIN, why="packs that are not aligned"),
    Mutant(CU, "origin = FEW_ROWS ? V * height + beyond", "origin = FEW_ROWS ? beyond", THIN,
           why="no place for the elements beside the tile"),
    Mutant(CU, ").values[q];\n        }\n    }\n    __syncthreads();", ").values[q];\n        }\n    }", THIN),
    Mutant(CU, "above = tile.row == 0 ? S : 0,", "above = 0,", SHIFT),
    Mutant(CU, "shift = (S - beyond(line, S)) % S,", "shift = 0,", SHIFT, why="packs that are not aligned"),
    Mutant(CU, "if (x < 0 || x + V > size) {", "if (x < 0) {", ENDS),
    Mutant(CU, "padding = 3 * bank<T>;", "padding = 0;", COUNTED, why="right, and slow: bank conflicts"),
    Mutant(CU, "std::max(((size - V) / tall - 2 * V) / S, 2)", "std::max((size - V) / tall / S, 2)", KERNELS,
           why="more than shared memory holds"),
    Mutant(CU, "few_columns ? wide : wide + 2 * V) - S) / S", "few_columns ? wide : wide) - S) / S", COUNTED,
           why="more than shared memory holds"),
    Mutant(CU, "if (!in_packs || rows < tile || columns < tile)", "if (!in_packs)", COUNTED,
           why="right, and slow: wide has tiles that are mostly empty"),
    # ---- packs
    Mutant(CU, "__stcs(reinterpret_cast<uint4*>(out + j * rows), as<uint4>(turned));",
           "*reinterpret_cast<Pack<T>*>(out + j * rows) = turned;", T + "nvcc_makes_one_store_of_a_pack"),
    Mutant("device/pack.h", "if (begin <= j && j < end) pack", "if (begin < j && j < end) pack", ENDS),
    # ---- the binding
    Mutant(CPP, "if (bytes == 2) return f(uint16_t());", "if (bytes == 2) return f(uint8_t());",
           T + "any_dtype_of_these_sizes"),
    Mutant(CPP, "STD_TORCH_CHECK(bytes == 1 ||", "STD_TORCH_CHECK(true || bytes == 1 ||", T + "refused"),
    Mutant(CPP, "STD_TORCH_CHECK(x.dim() == 2 || x.dim() == 3,", "STD_TORCH_CHECK(x.dim() >= 2,", T + "refused"),
    Mutant(CPP, "x.dim() == 3 ? shape[0] : 1,", "1,", RIGHT),
    Mutant(CPP, "rows, columns, current_stream(x));", "rows, columns, nullptr);",
           "tests/chapters/test_operators_gpu.py::test_a_side_stream_needs_no_synchronize[11_transpose.transpose]",
           gpus=1),
    # ---- what torch learns about it
    Mutant(MAIN, "x.new_empty((*x.shape[:-2], x.shape[-1], x.shape[-2]))", "torch.empty_like(x)",
           REGISTERED + "opcheck[11_transpose.transpose]"),
    Mutant(MAIN, "x.new_empty((*x.shape[:-2], x.shape[-1], x.shape[-2]))", "x.mT",
           REGISTERED + "opcheck[11_transpose.transpose]"),
    Mutant(MAIN, "op(grad.contiguous(), *ctx.step)", "op(grad, *ctx.step)",
           REGISTERED + "first_and_second_derivatives[11_transpose.transpose]"),
    Mutant(MAIN, "return op(grad.contiguous(), *ctx.step)", "return op(2 * grad.contiguous(), *ctx.step)",
           REGISTERED + "first_and_second_derivatives[11_transpose.transpose]"),
    Mutant(MAIN, "torch._check(x.dim() in (2, 3), lambda", "torch._check(True, lambda", T + "refused"),
    Mutant(MAIN, "torch._check(set(step) <= set(STEPS), lambda", "torch._check(True, lambda",
           T + "another_step_is_refused"),
    # ---- the counts
    Mutant(COUNTS, "byte // 32 for", "byte // 64 for", T + "counts"),
    Mutant(COUNTS, "word % 32 for", "word % 16 for", T + "counts"),
    Mutant(COUNTS, "column ^ (row // pack * pack) if", "column ^ row if", ADDRESSES),
    Mutant(COUNTS, "32 + max(1, 4 // size) *", "32 + 1 *", T + "only_naive_and_tile_ask_for_more_than_they_need"),
]  # fmt: skip
