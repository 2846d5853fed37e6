"""Small breakages of chapter 18, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/18_wgmma/test_wgmma.py::test_"
HOME = "chapters/18_wgmma/"
CU, RESULTS, DIVIDED, DIRECT, WORK, LADDER, OPERAND = (
    HOME + name for name in ("wgmma.cu", "results.h", "divided.cu", "direct.cu", "work.h", "ladder.cu", "operand.h")
)
COPY, GELU, CPP, PY, HOPPER = (
    HOME + "copy_rows.cu",
    HOME + "gelu.h",
    HOME + "wgmma.cpp",
    HOME + "linear_gelu.py",
    "device/hopper.h",
)
ANYWHERE = T + "rows_apart_that_begin_anywhere"
KERNELS = "tests/chapters/test_chapters.py::test_the_memory_check_finds_nothing_in_the_tests_of_kernels[18_wgmma]"
BATCHES, NUMBERS, TURNS = T + "batches[64x64]", T + "gelu_of_every_number", T + "warpgroups_take_turns[forward]"
REFUSED, FALLBACK = T + "refused_with_memory_and_without", T + "the_fallback[bfloat16]"


def layout(step):
    return f"{T}every_layout[forward-{step}-bfloat16]"


def shared(step):
    return f"{T}a_cluster_for_each_tile[forward-{step}]"


def exact(step):
    return f"{T}integers_are_exact[{step}-bfloat16]"


def linear(step):
    return f"{T}linear_gelu[{step}-bfloat16]"


MUTANTS = [
    # ---- instructions
    Mutant(HOPPER, "(address & 0x3ffff) >> 4)", "address >> 4)", layout("2x128x256")),
    Mutant(HOPPER, "uint64_t(apart >> 4) << 16", "uint64_t(0) << 16", layout("64x128")),
    # ---- operands
    Mutant(OPERAND, "along_k ? k : line, y", "along_k ? line : k, y", layout("first")),
    Mutant(OPERAND, "a_tile + i * (a_along_k ? 2 : 16 * 8)", "a_tile + i * 2", layout("first")),
    Mutant(OPERAND, "(columns + 63) / 64 * 64", "(columns + 7) / 8 * 8 + 4", ANYWHERE + "[ring]"),
    Mutant(COPY, "row / rows * c.batch_stride", "0", BATCHES),
    Mutant(OPERAND, "if (begin == -1) word[i] = first << 16;", "", ANYWHERE + "[ring]"),
    Mutant(OPERAND, "if (begin == n - 1) word[i] = last;", "", ANYWHERE + "[direct]"),
    Mutant(OPERAND, "begin + 1 < n ?", "begin < n ?", KERNELS, why="right, and reads past the end of an operand"),
    # ---- the ladder
    Mutant(LADDER, "wait_for_phase(empty(step), (step / STAGES + 1) % 2);", "", exact("ring")),
    Mutant(LADDER, "at.row + int(group) * 64", "at.row", layout("larger")),
    # ---- the ring
    Mutant(WORK, "wait_for_phase(empty(stage), phase ^ 1);", "wait_for_phase(empty(stage), phase);", layout("64x64")),
    Mutant(WORK, "(stage == 0 ? STAGES : stage) - 1", "stage", shared("192x128 k/2")),  # more steps than stages
    Mutant(WORK, "wgmma_wait<1>();", "", shared("192x128 k/2")),
    Mutant(WORK, "READERS * CLUSTER);", "READERS);", exact("2x128x128")),
    Mutant(WORK, "phase ^= stage / STAGES % 2;", "", TURNS),
    Mutant(WORK, "int i = CLUSTER > 1 ? rank * BOX : 0; i < COLUMNS; i += CLUSTER * BOX", "int i = 0; i < COLUMNS; i += BOX",
           layout("2x128x128")),
    Mutant(WORK, "tile % (down * across)", "tile", BATCHES),
    # ---- the kernel
    Mutant(CU, "        if (lane == 0) wait_for_kernels_before();\n", "",
           T + "a_kernel_waits_for_the_copy_of_rows_before_it_loads"),
    Mutant(CU, "wgmma_wait<0>();\n            if (task.steps > 0)", "if (task.steps > 0)", layout("64x64")),
    Mutant(CU, "p.row += rank * ROWS;", "", layout("2x128x128")),
    Mutant(CU, "if (tile != team) at = place(tile);\n            float", "float", T + "bands"),
    Mutant(CU, "if (TURNS) ring.skip((GROUPS - 1) * task.steps);", "", TURNS),
    Mutant(CU, "if (TURNS && tile != team) named_barrier(1 + turn, GROUPS * 128);", "", TURNS),
    # ---- results
    Mutant(CU, "                        fence_async();\n", "", layout("128x128"), why="without a symptom on an H100"),
    Mutant(CU, "wait_for_boxes<BOXES - 1>();", "", T + "bands"),
    Mutant(CU, "    wait_for_boxes<0>();", "    ", layout("64x64")),
    Mutant(CU, "at.column + i * BOX, at.row", "at.column, at.row", layout("128x128")),
    Mutant(OPERAND, "(c / 8 ^ r % 8) * 8", "c / 8 * 8", layout("64x64")),
    Mutant(RESULTS, "8 * i + column, sums", "column, sums", layout("64x64")),
    Mutant(RESULTS, "if (c == 1 && width > 0) row[0] = rows[r][0];", "", layout("128x128")),
    Mutant(RESULTS, "min(COLUMNS, task.n - at.column)", "COLUMNS", layout("128x256")),
    # ---- a cluster for each tile
    Mutant(DIVIDED, "begin = rank * task.each", "begin = 0", shared("64x64 k/4")),
    Mutant(DIVIDED, "        if (lane == 0) wait_for_kernels_before();\n", "",
           T + "a_kernel_waits_for_the_copy_of_rows_before_it_loads"),
    Mutant(DIVIDED, "wgmma_wait<0>(sums[0]);\n", "", shared("64x64 k/4")),
    Mutant(DIVIDED, "parts * share * THREADS * 16", "share * THREADS * 16", shared("64x128 k/4")),
    Mutant(DIVIDED, "    wait_for_blocks(received, 0);\n", "", shared("64x64 k/8")),
    Mutant(DIVIDED, "if (++next == share) next = 0, to++;", "if (++to == parts) to = 0, next++;", shared("64x128 k/4")),
    Mutant(DIVIDED, "8 * (rank * share + i)", "8 * i", shared("64x64 k/8")),
    Mutant(WORK, "if (y >= task.m || column >= task.n) continue;", "if (y >= task.m) continue;", shared("64x64 k/2")),
    Mutant(WORK, "if (column + 1 < task.n) out[1]", "out[1]", shared("64x64 k/2")),
    Mutant(DIVIDED, "if (IN_RING) cluster_arrive();\n    cluster_wait();", "cluster_wait();", shared("192x128 k/2")),
    Mutant(DIVIDED, "at.column + column + j % 2;", "at.column + column;", linear("64x128 k/2")),
    # ---- boxes by threads
    Mutant(DIRECT, "x.batches > 1 ? batch : 0", "0", T + "batches[direct]"),
    Mutant(DIRECT, "row < x.rows ? int(min(x.columns - column, int64_t(8))) : 0", "8", layout("direct")),
    Mutant(DIRECT, "place_in_box(y, 8 * x)", "(y * BOX + 8 * x)", layout("direct")),
    Mutant(DIRECT, "        fence_async();\n", "", layout("direct")),
    # ---- bias and GELU
    Mutant(CU, "at.column + BOX * i + 2 * lane", "BOX * i + 2 * lane", linear("64x128")),
    Mutant(CU, "j / 2 * 4 + lane % 4)", "lane % 4)", linear("64x128")),
    Mutant(GELU, "fmaxf(-x, fminf(x, 64.0f))", "fminf(fabsf(x), 64.0f)", NUMBERS + "[auto-none-bfloat16]"),
    Mutant(GELU, "0.199318964f", "0.189318964f", NUMBERS + "[auto-none-bfloat16]"),
    Mutant(GELU, "c * 0.044715f", "c * 0.0447f", NUMBERS + "[auto-tanh-bfloat16]"),
    # ---- the binding
    Mutant(CPP, "if (bias) launch_bias_and_f", "if (false) launch_bias_and_f", FALLBACK),
    Mutant(CPP, 'approximate == "tanh" ? Activation::gelu_tanh', 'approximate == "tanh" ? Activation::gelu',
           NUMBERS + "[auto-tanh-bfloat16]"),
    Mutant(PY, 'torch._check(approximate in ("none", "tanh")', "torch._check(True", REFUSED),
]  # fmt: skip
