"""Small breakages of chapter 17, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/17_tensor_cores/test_tensor_cores.py::test_"
CHAPTER, PTX = "chapters/17_tensor_cores/", "device/ptx_mma.h"
CU, H, PLAN, PADDED = (CHAPTER + name for name in ("tensor_cores.cu", "tiles.h", "choice.h", "padded.h"))
OF_16 = "chapters/16_matmul/"
MANY, BANDS, COUNTED = T + "more_tiles_than_blocks", T + "bands_of_tiles", T + "what_the_microscope_sees"
ANYWHERE, REFUSED = T + "rows_apart_that_begin_anywhere", T + "steps_refuse_what_they_cannot_copy_and_auto_does_not"
RESULTS, STRIDES = T + "results_whose_rows_begin_anywhere", T + "strides_that_need_a_copy_and_those_that_do_not"
COPIES = T + "auto_copies_rows_that_are_no_whole_packs[forward-float16]"
DIVIDED = T + "a_long_k_is_divided[forward-divided-float16]"
MEMORY_CHECK = (
    "tests/chapters/test_chapters.py::test_the_memory_check_finds_nothing_in_the_tests_of_kernels[17_tensor_cores]"
)


def every(step, order="forward"):
    return f"{T}every_layout[{order}-{step}-float16]"


MUTANTS = [
    # ---- fragments
    Mutant(CU, "row + i % 2 * 8, l + i / 2 * 8, s.m, s.k)", "row + i / 2 * 8, l + i % 2 * 8, s.m, s.k)", every("fragments")),
    Mutant(CU, "if (line < lines && l + 1 < k) pair[1]", "if (line < lines && l < k) pair[1]", every("fragments")),
    Mutant(H, "column + i % 2 < s.n) out", "column < s.n) out", every("fragments")),
    # ---- tiles in shared memory
    Mutant(H, "(pack ^ row % 8)) * 16; }", "pack) * 16; }", COUNTED),
    Mutant(H, "(first ^ (ALONG_K ? k : i) * 32)", "(first + (ALONG_K ? k : i) * 32)", every("small")),
    Mutant(H, "load_matrices<!ALONG_K>", "load_matrices<false>", every("ldmatrix")),
    Mutant(H, "A::first_fragment(row(), true)", "A::first_fragment(row(), false)", every("large")),
    Mutant(H, "lines_left = int(min(lines - line, int64_t(LINES)));", "lines_left = LINES;", MEMORY_CHECK),
    Mutant(H, "copy_16_bytes(to, p, i < rows && elements > 0);", "copy_16_bytes(to, p, i < rows);", every("stages")),
    Mutant(H, "load_pack(p, i < rows ? elements : 0)", "load_pack(p, elements)", every("ldmatrix")),
    Mutant(H, "elements >= 8 && reinterpret_cast<uintptr_t>(p) % 16 == 0", "elements >= 8", ANYWHERE),
    Mutant(OF_16 + "bands.h", "min(band, down - top)", "band", BANDS),
    Mutant(H, "exchange<2>(pairs[1], pairs[3]);", "exchange<2>(pairs[3], pairs[1]);", every("small")),
    Mutant(H, "s.n % 8 == 0 && reinterpret_cast<uintptr_t>(out) % 16 == 0", "true", RESULTS),
    # ---- what moves when
    Mutant(CU, "            __syncthreads();  // no thread needs them any more\n", "", every("ldmatrix", "reverse")),
    Mutant(CU, "                        wait_for_copies<AHEAD - 1>();\n", "", every("stages")),
    Mutant(CU, "k_left = tile < tiles ? min(int(s.k - at.k), s.parts.size) : 0;",
           "k_left = int(s.k);", MEMORY_CHECK),
    Mutant(CU, "begin(tile + gridDim.x);", "begin(tile);", MANY),
    Mutant(CU, "        warp.clear();\n        // The last", "        // The last", MANY),
    Mutant(PTX, "setp.eq.s32 outside, %2, 0;", "setp.ne.s32 outside, %2, 0;", every("large")),
    # ---- parts of k
    Mutant(H, "line * x.stride + k : line", "line * x.stride : line", DIVIDED),
    Mutant(H, "line + k * x.stride", "line", DIVIDED),
    Mutant(H, "at.batch += at.k / s.parts.size * s.batches;", "at.batch = 0;", DIVIDED),
    Mutant(H, "batch = matrix / parts, part = matrix % parts;", "batch = matrix, part = 0;", DIVIDED),
    Mutant(CU, "min(int(s.k - at.k), s.parts.size)", "int(s.k - at.k)", DIVIDED),
    Mutant(CU, "tiles_of(s.parts.size, TILE_K)", "tiles_of(s.parts.size, TILE_K) - 1", DIVIDED),
    # ---- copies
    Mutant(PADDED, "row % rows * c.x.stride", "row * c.x.stride", COPIES),
    Mutant(PADDED, "int(min(c.columns - column, int64_t(8)))", "8", COPIES),
    Mutant(PADDED, "if (matrix >= c.matrices) return;", "if (matrix > c.matrices) return;", MEMORY_CHECK),
    Mutant(PADDED, "c->x.batch_stride == 0 ? 0 : c->rows * stride", "c->rows * stride", COPIES),
    Mutant(PADDED, "if (x.transposed) std::swap(rows, columns);", "", COPIES),
    Mutant(PADDED, "        to += c->elements();\n", "", COPIES),
    Mutant(PLAN, "s.k <= TILE_K;", "true;", COUNTED),
    Mutant(OF_16 + "operands.h", "return {x, rows, batch_stride, true};", "return {x, 1, batch_stride, true};", STRIDES),
    # ---- the lesson
    Mutant(CHAPTER + "main.py", "steps_here(k=shapes[0][2])", "steps_here()", T + "the_lesson_times_any_size"),
    Mutant(CHAPTER + "main.py", "room >= LARGE_BYTES", "True", T + "a_gpu_with_less_shared_memory_runs_all_steps_but_one"),
    # ---- the launch
    Mutant(CHAPTER + "tensor_cores.h", "x.stride % 8 == 0 &&", "true &&", REFUSED),
    Mutant(CHAPTER + "tensor_cores.h", "(x.transposed ? rows : columns) % 8 == 0;", "true;", REFUSED),
    Mutant(CU, "b.transposed = !b.transposed;", "", every("fragments")),
    Mutant(PLAN, "time_of<Small>(s, 1.5);", "time_of<Small>(s, 1);", COUNTED),
]  # fmt: skip
