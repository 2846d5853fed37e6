"""Small breakages of chapter 11, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/11_transpose/test_transpose.py::test_"
REGISTERED = "tests/chapters/test_registered.py::test_"
CU, CPP, MAIN, COUNTS = (
    f"chapters/11_transpose/{name}" for name in ("transpose.cu", "transpose.cpp", "main.py", "counts.py")
)
RIGHT, MARGINS, SHIFT = T + "every_kernel_at_every_kind_of_size", T + "between_margins", T + "rows_at_every_shift"
PLACE, WORDS = T + "rows_at_every_place_of_a_word", T + "words_between_margins"
ADDRESSES = T + "the_addresses_that_are_counted_are_the_kernels"


MUTANTS = [
    # ---- tiles and launches
    Mutant(CU, "down = unsigned((rows + more + tall - 1) / tall)", "down = unsigned((rows + more) / tall + 1)", RIGHT,
           why="a line of tiles too many where the rows are a multiple of the tile's"),
    Mutant(CU, "across = unsigned((columns + wide - 1) / wide)", "across = unsigned(columns / wide + 1)", RIGHT),
    Mutant(CU, """line = blockIdx.x / down;  // a column of tiles; a GPU divides 32 bits faster than 64
        matrix = line / across * rows * columns;
        row = int64_t(blockIdx.x % down) * tall;
        column = int64_t(line % across) * wide;""", """line = blockIdx.x / across;
        matrix = line / down * rows * columns;
        row = int64_t(line % down) * tall;
        column = int64_t(blockIdx.x % across) * wide;""", ADDRESSES, why="right, and slow: along a row first"),
    Mutant(CU, "blocks_for(rows + AnyTile::more, AnyTile::tall)", "blocks_for(rows, AnyTile::tall)", SHIFT),
    Mutant(CU, "64, sector<T> - 1>;", "64, sector<T> / 2>;", SHIFT),
    Mutant(CU, "matrix = line / across * rows * columns;", "matrix = 0;", RIGHT),
    Mutant(CU, "if (matrices == 0 || rows == 0 || columns == 0) return;", "if (matrices == 0) return;", RIGHT),
    Mutant(CU, "const int64_t before = m * rows * columns;", "const int64_t before = 0;",
           T + "more_than_2_to_the_31_elements", gpus=1),
    # ---- the kernels
    Mutant(CU, "if (row < rows && column < columns) out[", "if (row < rows) out[", MARGINS),
    Mutant(CU, "shared[y][x] = in[y * columns + x];\n    __syncthreads();  //",
           "shared[y][x] = in[y * columns + x];\n    //", RIGHT),
    Mutant(CU, "x ^ y] = in[y * columns + x];  // swizzled\n    __syncthreads();", "x ^ y] = in[y * columns + x];",
           RIGHT),
    Mutant(CU, "shared[y * V + k][x ^ y] = packs[k];\n    }\n    __syncthreads();",
           "shared[y * V + k][x ^ y] = packs[k];\n    }", RIGHT),
    Mutant(CU, "shared[y][x ^ y] = in", "shared[y][x] = in", RIGHT),
    Mutant(CU, "packs[k] = shared[x * V + k][y ^ x];", "packs[k] = shared[x * V + k][y];", RIGHT),
    Mutant(CU, "__shared__ T shared[side][side + bank<T>];", "__shared__ T shared[side][side];", ADDRESSES,
           why="right, and slow: the elements of a column lie in one bank"),
    Mutant(CU, "constexpr int bank = sizeof(T) < 4 ? 4 / sizeof(T) : 1;", "constexpr int bank = 1;", ADDRESSES,
           why="right, and two rows of 64 short elements begin in the same bank"),
    Mutant(CU, "turned.values[k] = packs[k].values[j];", "turned.values[k] = packs[j].values[k];", RIGHT),
    Mutant(CU, "rows % V == 0 && columns % V == 0 &&", "columns % V == 0 &&", RIGHT),
    Mutant(CU, "rows % V == 0 && columns % V == 0 &&", "rows % V == 0 &&", RIGHT),
    Mutant(CU, "if (rows == 1 || columns == 1) {", "if (rows == 1 || columns <= 3) {", RIGHT),
    # ---- rows, which begin within a sector
    Mutant(CU, "* pitch] = values[k];\n        __syncthreads();", "* pitch] = values[k];", RIGHT),
    Mutant(CU, "pitch = (words<T> + 1) * W +", "pitch = words<T> * W +", ADDRESSES,
           why="right, and slow: bank conflicts"),
    Mutant(CU, "sector<T> < load_rows ? load_rows : sector<T>;", "load_rows;", SHIFT,
           why="too few rows above, where an element has 1 or 2 bytes"),
    Mutant(CU, "begin = tile.row == 0 ? 0 : -above,", "begin = 0,", SHIFT),
    Mutant(CU, "begin = tile.row == 0 ? 0 : -above,", "begin = -above,", MARGINS),
    Mutant(CU, "end = int(min(rows - tile.row, int64_t(tall)));", "end = tall;", MARGINS),
    Mutant(CU, "width = int(min(columns - tile.column, int64_t(wide)));", "width = wide;", MARGINS),
    Mutant(CU, "int((offset + k * store_rows * unsigned(rows)) % sector<T>);", "int(offset * 0);", ADDRESSES,
           why="two blocks store parts of a sector, and words are not aligned"),
    Mutant(CU, "int((offset + k * store_rows * unsigned(rows)) % sector<T>);", "int(offset % sector<T>);", ADDRESSES,
           why="words that are not aligned, which only a GPU refuses"),
    Mutant(CU, "if (begin < 0 && tile.row", "if (tile.row", SHIFT, why="rows above the first tile"),
    Mutant(CU, "&& tile.row + tall < rows &&", "&&", WORDS),
    Mutant(CU, "tall < rows && width == wide)", "tall < rows)", PLACE),
    # ---- words
    Mutant(CU, "skew = place % W;", "skew = 0;", PLACE),
    Mutant(CU, "* W + int(columns % W);", "* W;", ADDRESSES, why="words that are not aligned"),
    Mutant(CU, "if (k == wide / store_rows && y + k * store_rows >= wide) break;", "", WORDS),
    # ---- packs
    Mutant(CU, """uint4 bytes;  // one store of 16 bytes; nvcc makes several of an assignment `*pack = turned`
            memcpy(&bytes, &turned, sizeof bytes);
            __stcs(reinterpret_cast<uint4*>(out + j * rows), bytes);""",
           "*reinterpret_cast<Pack<T>*>(out + j * rows) = turned;", T + "nvcc_makes_one_store_of_a_pack"),
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
    Mutant(COUNTS, "column * pitch % sector if", "column % sector if", ADDRESSES),
    Mutant(COUNTS, "bank = max(1, 4 // size)", "bank = 1", T + "only_naive_and_tile_ask_for_more_than_they_need"),
]  # fmt: skip
