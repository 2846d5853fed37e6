"""Small breakages of chapter 16, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/16_matmul/test_matmul.py::test_"
CHAPTER = "chapters/16_matmul/"
CU, CPP, OPERANDS, PRODUCTS = (CHAPTER + name for name in ("matmul.cu", "matmul.cpp", "operands.h", "products.py"))
ONE, BANDS, PARTS, LINES = (CHAPTER + name for name in ("one_result.h", "bands.h", "parts.h", "lines.h"))
REFUSED, SHAPE, GRADIENTS, AUTOCAST = (
    T + "refused_with_memory_and_without",
    T + "a_shape_without_memory",
    T + "gradients_of_every_mix_of_batches",
    T + "autocast_gives_float32",
)
STRIDES, COUNTED, MANY, DIVIDED = (
    T + "strides_that_need_a_copy_and_those_that_do_not",
    T + "what_a_step_loads_and_which_one_auto_takes",
    T + "more_matrices_than_a_grid_has_rows",
    T + "a_long_k_is_divided[forward-divided]",
)
BANKS = T + "nvcc_takes_no_three_operands_from_one_bank"
MEMORY_CHECK = "tests/chapters/test_chapters.py::test_the_memory_check_finds_nothing_in_the_tests_of_kernels[16_matmul]"


def layouts(step, order="forward"):
    return f"{T}every_layout[{order}-{step}]"


def apart(step):
    return f"{T}rows_apart_that_begin_anywhere[{step}]"


def batches(step):
    return f"{T}batches[{step}]"


def infinities(step):
    return f"{T}infinities_and_nan_stay_in_their_row_or_column[{step}]"


MUTANTS = [
    # ---- a block's tile
    Mutant(BANDS, "height = min(band, down - top);", "height = band;", layouts("naive")),
    Mutant(ONE, "x.data[blockIdx.y * x.batch_stride + (x.transposed", "x.data[(x.transposed", batches("naive")),
    Mutant(ONE, "blockIdx.z * gridDim.y + blockIdx.y", "blockIdx.z", batches("small")),
    Mutant(ONE, "column * x.stride + row : row", "row * x.stride + column : row", layouts("tile")),
    # ---- tiles in shared memory
    Mutant(ONE, "row < s.m && k + x < s.k ? element(a", "row < s.m ? element(a", infinities("tile")),
    Mutant(ONE, "        __syncthreads();  // no thread needs them any more\n", "",
           layouts("tile", "reverse")),
    # ---- results in registers
    Mutant(CU, "row = warp / ACROSS", "row = warp % ACROSS", layouts("stages")),
    Mutant(CU, "(lane / 16 * 2 + lane / 2 % 2) * 4;", "lane / 8 * 4;", layouts("small")),
    Mutant(CU, "(lane / 16 * 2 + lane / 2 % 2) * 4;\n"
           "        column = warp % ACROSS * 8 * COLUMNS + (lane / 4 % 4 * 2 + lane % 2) * 4;",
           "lane / 8 * 4;\n        column = warp % ACROSS * 8 * COLUMNS + lane % 8 * 4;", COUNTED),
    Mutant(CU, "&tiles.b[k][column + 8 * j]", "&tiles.b[k][column + 4 * j]", layouts("large")),
    Mutant(CU, "row + i / 4 * 16 + i % 4", "row + i", layouts("registers")),
    Mutant(CU, "if (r >= rows || c >= columns) continue;", "if (r >= rows) continue;", layouts("large")),
    Mutant(CU, "if (n % 4 == 0)", "if (c + 4 <= columns)", MEMORY_CHECK),
    Mutant(CU, "if (c + l < columns) to[l]", "to[l]", layouts("large")),
    # ---- copies
    Mutant(CU, "a[TILE_K][TILE_ROWS + 4], b", "a[TILE_K][TILE_ROWS + 8], b", COUNTED),
    Mutant(LINES, "4 * (SIZE - count));", "0);", layouts("large")),
    Mutant(LINES, "x.data + blockIdx.y * x.batch_stride + offset", "x.data + offset", batches("large")),
    Mutant(CU, "next_a += a.offset(0, TILE_K)", "next_a += TILE_K", layouts("small")),
    Mutant(LINES, "whole || (line < count && l < k_left)", "whole || line < count", layouts("large")),
    Mutant(LINES, "whole || (line < count && l < k_left)", "whole || l < k_left", MEMORY_CHECK),
    Mutant(LINES, "if (count < LINES || k_left < TILE_K)", "if (count < LINES)", layouts("small")),
    Mutant(LINES, "if (count < LINES || k_left < TILE_K)", "if (k_left < TILE_K)", MEMORY_CHECK),
    Mutant(LINES, "else if (ALONG_K || !by_four)", "else if (ALONG_K)", apart("small")),
    Mutant(LINES, "whole ? SIZE : line < count && l < k_left", "whole ? SIZE : l < k_left", MEMORY_CHECK),
    # ---- stages
    Mutant(CU, "__pipeline_wait_prior(STAGES == 1 ? 0 : STAGES - 2)", "__pipeline_wait_prior(STAGES - 1)", layouts("stages")),
    Mutant(CU, "STAGES - 2);\n        __syncthreads();", "STAGES - 2);", layouts("large")),
    Mutant(CU, "        if (STAGES == 1) __syncthreads();\n", "", layouts("registers", "reverse")),
    # ---- parts of k
    Mutant(ONE, "blockIdx.z * gridDim.y + blockIdx.y", "blockIdx.y", DIVIDED),
    Mutant(LINES, "line * x.stride + k : line", "line * x.stride : line", DIVIDED),
    Mutant(LINES, "line + k * x.stride", "line", DIVIDED),
    Mutant(CU, "s.k = min(s.k - first, s.parts.size);", "s.k -= first;", DIVIDED),
    Mutant(PARTS, "sum += parts", "sum = parts", DIVIDED),
    Mutant(PARTS, "steps < 16", "steps < 17", COUNTED),
    Mutant(PARTS, "steps / 4", "steps / 20", COUNTED),
    Mutant(PARTS, "    if (i >= size) return;\n", "", MEMORY_CHECK),
    # ---- the launch
    Mutant(LINES, "by_four(aligned(m.data) && m.stride", "by_four(m.stride", apart("small")),
    Mutant(LINES, "m.stride % 4 == 0 && m.batch", "m.batch", apart("small")),
    Mutant(LINES, " && m.batch_stride % 4 == 0)", ")", batches("small")),
    Mutant(CU, "    allow_shared_memory(kernel);\n", "", layouts("large")),
    Mutant(CU, "    if (batches == 0 || m == 0 || n == 0) return;\n", "", layouts("small")),
    Mutant(CU, "stages.time <= best.time ? stages : best", "false ? stages : best", COUNTED),
    Mutant(CU, "small.time < tall.time ? small : tall", "tall", COUNTED),
    Mutant(CU, "small.time < tall.time ? small : tall", "small", COUNTED),
    Mutant(CU, "if (time < best.time) best", "if (time < 0) best", COUNTED),
    Mutant(CU, "launch<Tall, 3>", "launch<Small, 3>", COUNTED),
    Mutant(CU, "{one * x[0], one * x[1], one * x[2], one * x[3]}", "{x[0], x[1], x[2], x[3]}", BANKS),
    Mutant(CU, "launch<Large, 3>", "launch<Small, 3>", COUNTED),
    Mutant(CU, "out += MOST * m * n, a.data", "a.data", MANY),
    Mutant(CU, "b.data += MOST * b.batch_stride", "b.data += 0", MANY),
    # ---- the binding
    Mutant(CPP, '{"stages", MatmulStep::stages}', '{"stages", MatmulStep::registers}', COUNTED),
    Mutant(CPP, "{ScalarType::Float}", "{ScalarType::Float, ScalarType::Half}", REFUSED),
    Mutant(OPERANDS, "x.stride(d - 1) == 1 || columns == 1", "x.stride(d - 1) == 1 || rows == 1", STRIDES),
    Mutant(OPERANDS, "x.stride(d - 2) == 1 || rows == 1", "true", STRIDES),
    Mutant(OPERANDS, "d == 3 ? rows * columns : 0, false", "0, false", STRIDES),
    Mutant(OPERANDS, "(d == 2 || b.dim() == 2 || a.size(0) == b.size(0))", "true", REFUSED),
    Mutant(OPERANDS, "b.dim() == 2 && one_after_another", "b.dim() == 2", batches("naive")),
    # ---- for torch
    Mutant(PRODUCTS, "a.shape[:-2] or b.shape[:-2]", "a.shape[:-2]", SHAPE),
    Mutant(PRODUCTS, 'check_sides(a, "a")', "pass", REFUSED),
    Mutant(PRODUCTS, "of_a = op(grad, b.mT)", "of_a = op(grad, b)", GRADIENTS),
    Mutant(PRODUCTS, "of_b = op(a.mT, grad)", "of_b = op(a.mT, grad).mT", GRADIENTS),
    Mutant(PRODUCTS, "if ctx.needs_input_grad[1]:", "if ctx.needs_input_grad[0]:", GRADIENTS),
    Mutant(PRODUCTS, "region if region in dtypes else dtypes[0]", "region", AUTOCAST),
    Mutant(PRODUCTS, " and x.dtype != torch.float64 else", " else", AUTOCAST),
    Mutant(PRODUCTS, "torch.autocast(device_type, enabled=False)", "torch.autocast(device_type)", AUTOCAST),
    Mutant(CHAPTER + "product_times.py", "timed, of_b)", "timed)",
           T + "a_row_of_the_benchmark_names_the_layout_of_b[layout1-2 x 3 x 4, b transposed: auto]"),
]  # fmt: skip
