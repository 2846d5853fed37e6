"""Small breakages of chapter 13, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/13_softmax/test_softmax.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
DERIVATIVES = "tests/chapters/test_registered.py::test_first_and_second_derivatives"
LAUNCH = "tests/chapters/test_chapters.py::test_every_launch_is_on_the_given_stream_and_checked[13_softmax]"
PACKS, ROW, NUMBER, MAX_SUM = (f"device/{name}.h" for name in ("row_packs", "over_row", "number", "max_sum"))
STABLE = "common/stable.h"
CPP, PY, CU = (f"chapters/13_softmax/{name}" for name in ("softmax.cpp", "gradients.py", "softmax.cu"))
EXACT = T + "infinities_and_nan"
ROOM = T + "a_step_refuses_rows_that_it_cannot_keep"
MANY = T + "many_rows"
ANYWHERE = T + "rows_that_begin_anywhere"
LONG = T + "long_rows"
WEIGHTS = "tests/chapters/14_rms_norm/test_rms_norm.py::test_each_kernel[forward-twice-rms_norm-float32]"
REFUSED = T + "refused_with_memory_and_without"
MEMORY_CHECK = "tests/cuda_on_cpu/test_memory_check.py::test_no_false_alarm_in_a_lesson[13_softmax]"


def forward(step, dtype="float32"):
    return f"{T}softmax[forward-{step}-{dtype}]"


def backward(step):
    return f"{T}softmax_backward[forward-{step}-float32]"


MUTANTS = [
    # ---- packs of a row that begins anywhere
    Mutant(PACKS, "/ sizeof(T) % Pack<T>::SIZE", "% Pack<T>::SIZE", forward("twice"), gpus=1),
    Mutant(PACKS, "whole || shift_of(base) == 0", "true", ANYWHERE, gpus=1),
    Mutant(PACKS, "pack.values[j] = none;", "pack.values[j] = T(0);", forward("block")),
    Mutant(PACKS, "i >= s.begin && i + size <= s.end) {\n        if (layout",
           "i + size <= s.end) {\n        if (layout", forward("twice")),
    Mutant(PACKS, "i >= s.begin && i + size <= s.end) {\n        if (layout",
           "i >= s.begin && i < s.end) {\n        if (layout", forward("twice")),
    Mutant(PACKS, "pack.values[j] = base[i + j];\n        }", "pack.values[j] = base[i];\n        }", WEIGHTS),
    Mutant(PACKS, "if (i + j >= s.begin && i + j < s.end) pack", "if (i + j < s.end) pack", forward("twice")),
    Mutant(PACKS, "if (i + j >= s.begin && i + j < s.end) pack", "if (i + j >= s.begin) pack", forward("twice")),
    Mutant(PACKS, "i >= s.begin && i + size <= s.end) {\n        uint4", "i + size <= s.end) {\n        uint4",
           forward("twice")),
    Mutant(PACKS, "if (i + j >= s.begin && i + j < s.end) base", "if (i + j >= s.begin) base", forward("twice")),
    Mutant(PACKS, "if (i + j >= s.begin && i + j < s.end) base", "if (i + j < s.end) base", forward("twice")),
    Mutant(PACKS, "if (c < s.end) bits", "if (c <= s.end) bits", forward("block")),
    Mutant(PACKS, "if (c < s.end) *", "if (c <= s.end) *", forward("block")),
    Mutant(PACKS, "(pack - lane) * size", "pack * size", forward("block")),
    Mutant(PACKS, "(of_pack / unit * 32 + lane)", "(of_pack * 32 + lane)", ANYWHERE),
    Mutant(PACKS, "for (const T* input : in) all |=", "for (const T* input : in) uintptr_t of_all =", ANYWHERE,
           gpus=1),
    Mutant(PACKS, "all % 4 == 0 && sizeof(T) == 2", "sizeof(T) == 2", ANYWHERE, gpus=1),
    Mutant(PACKS, "values[k * size + j]);", "values[j]);", forward("warp")),
    Mutant(NUMBER, "std::is_same_v<T, double>, double, float", "std::is_same_v<T, double>, float, float",
           forward("warp", "float64")),
    Mutant(NUMBER, "1.442695041f", "1.4427f", T + "errors_beside_torchs[float32]"),
    # ---- what the threads of a row have found
    Mutant(ROW, "for (int apart = lanes / 2; apart > 0;", "for (int apart = lanes / 2; apart > 1;", forward("warp")),
    Mutant(ROW, "min(int(blockDim.x), 32)", "32", MANY),
    Mutant(ROW, "    __syncthreads();\n", "", forward("block")),
    Mutant(ROW, "lane < warps ? parts[lane] : Part()", "parts[lane]", MEMORY_CHECK),
    Mutant(MAX_SUM, "N max = -std::numeric_limits<N>::max()", "N max = -INFINITY", EXACT),
    Mutant(MAX_SUM, "fast_exp(-fabs(a.max - b.max))", "fast_exp(fabs(a.max - b.max))", forward("warp")),
    Mutant(MAX_SUM, "if (a.max > b.max) return {a.max,", "if (a.max < b.max) return {a.max,", forward("warp")),
    Mutant(MAX_SUM, "{from_lane(part.max, apart), from_lane(part.sum, apart)}", "{from_lane(part.max, apart), part.sum}",
           forward("warp")),
    # ---- the kernels
    Mutant(CU, "    all.max = over_row(all).max;\n", "", forward("three_passes")),
    Mutant(CU, "    all.sum = over_row(all.sum);\n", "", forward("three_passes")),
    Mutant(CU, "all.sum += v[0][i] = fast_exp(v[0][i] - all.max)", "all.sum += v[0][i] = fast_exp(v[0][i])",
           T + "large_logits[float32]"),
    Mutant(CU, "fast_exp(mine.max - all.max) * (1 / all.sum)", "1 / all.sum", forward("block")),
    Mutant(CU, "fast_exp(mine.max - all.max) * (1 / all.sum)", "fast_exp(mine.max - all.max) * (1 / mine.sum)",
           forward("block")),
    Mutant(CU, "v[1][i] * (v[0][i] - sum)", "v[1][i] * v[0][i] - sum", backward("warp")),
    Mutant(CU, "sum += v[0][i] * v[1][i]", "sum = v[0][i] * v[1][i]", backward("warp")),
    Mutant(CU, "row < rows ? int(n) : 0", "int(n)", MEMORY_CHECK),
    Mutant(CU, "* each + r) * blockDim.y + threadIdx.y", "* each) * blockDim.y + threadIdx.y", MANY),
    Mutant(CU, "min(int64_t(each), rows - first)", "int64_t(each)", MEMORY_CHECK),
    Mutant(CU, "    __syncthreads();\n    for (int i = begin", "    for (int i = begin", forward("strip")),
    Mutant(CU, "(c + start < n ? 0 : n)", "0", f"{T}many_rows[forward-strip-700-32]"),
    Mutant(CU, "i < end; i += 256 * n", "i < min(end, 256 * n); i += 256 * n", MANY),
    Mutant(CU, "    }\n    __syncthreads();\n    UNROLL", "    }\n    UNROLL", f"{T}softmax[reverse-strip-float32]"),
    Mutant(CU, "/ n / size * size);", "/ n);", f"{T}many_rows[forward-strip-9001-3]", gpus=1),
    Mutant(CU, "all = all + op.part(v);", "all = op.part(v);", forward("twice")),
    Mutant(CU, "i < blocks && launch", "i < 1 && launch", LONG),
    Mutant(CU, "parts[row * blocks + i]", "parts[i]", LONG),
    Mutant(CU, "threadIdx.x == 0) parts[block] = all;", "threadIdx.x == 0) parts[0] = all;", LONG),
    # ---- which step for which row
    Mutant(CU, "if (step <= Step::block && packs > (", "if (packs < 0 && packs > (", ROOM),
    Mutant(CU, "layout_of<T>(n, op.in, out)", "layout_of<T>(n * size, op.in, out)", ANYWHERE),
    Mutant(CU, "    CHECK_LAUNCH();\n}\n\ntemplate <class T>\nvoid launch_softmax(",
           "}\n\ntemplate <class T>\nvoid launch_softmax(", LAUNCH),
    # ---- checks and gradients
    Mutant(CPP, "(of_softmax || step != Step::three_passes)", "true", REFUSED),
    Mutant(CPP, "{2 * rows_of(x) * blocks}", "{rows_of(x) * blocks}", MEMORY_CHECK),
    Mutant(STABLE, "if (dtype == ScalarType::Double) return f(double());", "", forward("auto", "float64")),
    Mutant(PY, "ops.softmax_backward(grad.contiguous(),", "ops.softmax_backward(grad,",
           DERIVATIVES + "[13_softmax.softmax]"),
    Mutant(PY, "return y * (grad - sum_y), grad * (g - sum_gy) - g * sum_y", "return y * (grad - sum_y), grad * (g - sum_gy)",
           DERIVATIVES + "[13_softmax.softmax_backward]"),
    Mutant(PY, "torch._check(x.is_contiguous(), lambda", "torch._check(True, lambda", REFUSED),
]  # fmt: skip
