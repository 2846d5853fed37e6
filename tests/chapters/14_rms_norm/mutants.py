"""Small breakages of chapter 14, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/14_rms_norm/test_rms_norm.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
LAUNCH = "tests/chapters/test_chapters.py::test_every_launch_is_on_the_given_stream_and_checked[14_rms_norm]"
FOLDER = "chapters/14_rms_norm/"
CU, CPP, PY = (FOLDER + name for name in ("rms_norm.cu", "rms_norm.cpp", "derivatives.py"))
FORMULAS, PART, WEIGHT, LONG, PLAN = (
    FOLDER + f"{name}.h" for name in ("formulas", "row_part", "weight_gradient", "long_rows", "plan")
)
ANYWHERE = T + "an_argument_that_begins_anywhere[rms_norm-float32]"
ROUNDED = T + "the_sum_is_rounded_before_its_norm[bfloat16]"
DERIVATIVES = T + "three_derivatives[shape0]"
MEMORY_CHECK = "tests/cuda_on_cpu/test_memory_check.py::test_no_false_alarm_in_a_lesson[14_rms_norm]"
REFUSED = T + "refused_with_memory_and_without"
WHICHEVER = T + "whichever_result_is_used"


def kernel(which, op="rms_norm", dtype="float32"):
    return f"{T}each_kernel[forward-{which}-{op}-{dtype}]"


def backward(which, op="rms_norm_backward"):
    return kernel(which, op)


MUTANTS = [
    # ---- the operators
    Mutant(
        FORMULAS,
        "rsqrt(squares / N(n) + eps); }",
        "rsqrt(squares / N(n)); }",
        OPERATORS + "scalars[14_rms_norm.rms_norm-eps]",
    ),
    Mutant(FORMULAS, "return v[0] * scale * w; }", "return v[0] * scale; }", kernel("lanes")),
    Mutant(FORMULAS, "return {x * x, grad * w * x};", "return {x * x, grad * x};", backward("lanes")),
    Mutant(FORMULAS, "scale * scale * scale * (sums.products", "scale * scale * (sums.products", backward("lanes")),
    Mutant(FORMULAS, "of_weight += grad * f.scale * x;", "of_weight = grad * f.scale * x;", backward("lanes")),
    Mutant(FORMULAS, "f.scale * w - f.times_x * x", "f.scale * w + f.times_x * x", backward("lanes")),
    Mutant(FORMULAS, "add ? v[INPUTS - 1] : N(0)", "0", backward("lanes", "add_rms_norm_backward")),
    # ---- a thread's part
    Mutant(PART, "                store_pack<layout>(op.sum, s, i, v[0][i]);\n", "", kernel("lanes", "add_rms_norm")),
    Mutant(PART, "i = k; i < k + together; i++)\n", "i = k; i < k + 1; i++)\n", kernel("block")),
    Mutant(PART, "return {i - shift, i == 0", "return {i, i == 0", kernel("twice")),
    Mutant(PART, "                add_second_to_first(v, i);\n", "", kernel("lanes", "add_rms_norm")),
    Mutant(
        CU,
        "                store_pack(op.sum, rows, k, part[0][k]);\n",
        "",
        kernel("strip", "add_rms_norm"),
    ),
    # ---- the gradient of weight
    Mutant(WEIGHT, "const int half = (groups + 1) / 2;", "const int half = groups / 2;", backward("strip")),
    Mutant(WEIGHT, "        __syncthreads();\n        if (t < (groups", "        if (t < (groups", backward("lanes")),
    Mutant(WEIGHT, "    __syncthreads();  // an earlier call's sums have been read\n", "", MEMORY_CHECK),
    Mutant(
        WEIGHT,
        "row < rows; row += blockDim.y) mine",
        "row < rows; row += 2 * blockDim.y) mine",
        backward("block"),
        gpus=1,
    ),
    Mutant(LONG, "partial + blockIdx.y * op.n + i", "partial + i", backward("columns")),
    Mutant(
        CU, "write_sums<layout>(partial + int64_t(blockIdx.x) * n,", "write_sums<layout>(partial,", backward("block")
    ),
    Mutant(
        CU,
        "const int64_t rows = launch(op, partial, stream);",
        "const int64_t rows = launch(op, partial, stream) + 1;",
        backward("strip"),
    ),
    # ---- rows in registers, strips, long rows
    Mutant(CU, "row < op.rows ? n : 0}", "n}", MEMORY_CHECK),
    Mutant(CU, "            if (row < op.rows) {", "            {", MEMORY_CHECK),
    Mutant(
        CU,
        "        if (Op::OF_WEIGHT && blockDim.y == 1) __syncthreads();  // before the next over_row()\n",
        "",
        backward("block"),
    ),
    Mutant(
        CU,
        "const int64_t row = first + r * blockDim.y;\n            load",
        "const int64_t row = first;\n            load",
        kernel("lanes"),
    ),
    Mutant(CU, "sizeof(T) == 8 ? 1022 : 1360", "1360", T + "shared_memory_is_enough_on_every_gpu"),
    Mutant(CU, "number(op.weight[t % n]);", "number(op.weight[0]);", kernel("strip")),
    Mutant(CU, "if (++c == n) c = 0;", "++c;", f"{T}an_argument_that_begins_anywhere[rms_norm-float32]"),
    Mutant(CU, "row < here; row += groups)", "row < here - 1; row += groups)", kernel("strip")),
    Mutant(CU, "t < groups * n && row < here;", "row < here;", backward("strip")),
    Mutant(CU, "fit / size * size", "fit", kernel("strip", dtype="bfloat16"), gpus=1),
    Mutant(
        LONG,
        "        all = all + part_of(op, v, w);\n    }\n    return over_row",
        "        all = part_of(op, v, w);\n    }\n    return over_row",
        kernel("twice"),
    ),
    Mutant(LONG, "i += blocks * step", "i += (blocks + 1) * step", kernel("twice")),
    Mutant(LONG, "i < blocks; i += blockDim.x) all", "i < 1; i += blockDim.x) all", kernel("columns")),
    Mutant(LONG, "r < op.rows; r += gridDim.y", "r < gridDim.y; r += gridDim.y", kernel("columns")),
    Mutant(
        LONG,
        "factors[r], of_weight);\n    }\n    if constexpr (Op",
        "factors[0], of_weight);\n    }\n    if constexpr (Op",
        kernel("columns"),
    ),
    Mutant(
        LONG,
        "for (int64_t i = 0; i < row.end; i += step) {",
        "for (int64_t i = 0; i < step; i += step) {",
        kernel("twice"),
    ),
    Mutant(LONG, "r < op.rows; r += gridDim.x", "r < gridDim.x; r += gridDim.x", backward("twice")),
    Mutant(
        LONG, "            UNROLL for (int j = 0; j < count; j++) sum(i, j) = of_weight[j];\n", "", backward("twice")
    ),
    Mutant(LONG, "        __syncthreads();  // before the next over_row()\n", "", backward("twice")),
    Mutant(CU, "if (AHEAD<Op, layout>) load_rows(first + step);", "", backward("block")),
    # ---- the launch
    Mutant(
        CU,
        "op.in, op.out, op.weight)",
        "op.in, op.out)",
        ANYWHERE,
        gpus=1,
    ),
    Mutant(PLAN, "in_registers = n <= 512 * size *", "in_registers = n <= 2048 * size *", kernel("columns")),
    Mutant(CU, "    if (op.rows == 0 || op.n == 0) return 0;", "    if (op.n == 0) return 0;", kernel("strip")),
    Mutant(
        LONG,
        "512, 0, stream>>>(parts, op, blocks);\n    CHECK_LAUNCH();",
        "512, 0, stream>>>(parts, op, blocks);",
        LAUNCH,
    ),
    Mutant(CU, "kernel<<<unsigned(blocks), block, 0, stream>>>", "kernel<<<unsigned(blocks), block>>>", LAUNCH),
    # ---- torch
    Mutant(
        CPP, '    check_same_device(x, name, weight, "weight");\n', "", OPERATORS + "another_device_is_refused", gpus=1
    ),
    Mutant(CPP, "weight.dim() == 1 && weight.size(0) == columns_of(x)", "weight.dim() == 1", REFUSED),
    Mutant(CPP, 'check_like(residual, "residual", x, "x");', "", REFUSED),
    Mutant(PY, 'check_like(residual, "residual", x, "x")', "pass", REFUSED),
    Mutant(PY, "if grad is None:", "if False:", WHICHEVER + "[sum]"),
    Mutant(PY, "    if grad_sum is None:", "    if True:", WHICHEVER + "[both]"),
    Mutant(PY, "return grad_x, grad_x, grad_weight, None", "return grad_x, None, grad_weight, None", WHICHEVER + "[y]"),
    Mutant(PY, "return of_grad, a, of_x, of_weight, None", "return of_grad, None, of_x, of_weight, None", DERIVATIVES),
    Mutant(PY, "- 3 * s**2 * px * ax", "", DERIVATIVES),
    Mutant(PY, "(px * a + ax * p + of_s * x)", "(px * a + of_s * x)", DERIVATIVES),
    Mutant(PY, "of_p = s * a - s**3 * ax * x", "of_p = s * a", DERIVATIVES),
    Mutant(
        PY,
        "*second(*ctx.saved_tensors, a, b, ctx.eps), None",
        "*(t.detach() for t in second(*ctx.saved_tensors, a, b, ctx.eps)), None",
        DERIVATIVES,
        why="review: the third derivative was wrong in silence",
    ),
    Mutant(
        PY,
        "isinstance(t, torch.Tensor)}) > 1:",
        "isinstance(t, torch.Tensor)}) > 9:",
        T + "autocast_of_several_dtypes_computes_in_the_widest",
    ),
    Mutant(
        PY,
        "isinstance(t, torch.Tensor)}) > 1:",
        "isinstance(t, torch.Tensor)}) > 0:",
        T + "autocast_of_one_dtype_changes_nothing",
    ),
    Mutant(
        PY,
        "ops.rms_norm_backward(grad.contiguous(), *ctx.saved_tensors, ctx.eps), None",
        "ops.rms_norm_backward(grad, *ctx.saved_tensors, ctx.eps), None",
        "tests/chapters/test_registered.py::test_first_and_second_derivatives[14_rms_norm.rms_norm]",
    ),
]
