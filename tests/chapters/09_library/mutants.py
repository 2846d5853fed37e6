"""Small breakages of chapter 09, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/09_library/test_library.py::test_"
DISPATCHER = "tests/chapters/09_library/test_dispatcher.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
DERIVATIVES = "tests/chapters/test_registered.py::test_first_and_second_derivatives"
GPU = "tests/chapters/test_operators_gpu.py::test_"
ONE_DTYPE, TWO_DTYPES = (
    DISPATCHER + name
    for name in ("autocast_of_one_dtype_changes_nothing", "autocast_of_two_dtypes_computes_in_float32")
)
CU, CPP, AUTOGRAD, PY = (
    f"chapters/09_library/{name}" for name in ("bias_gelu.cu", "bias_gelu.cpp", "autograd.cpp", "library.py")
)
STREAM = "c10::cuda::getCurrentCUDAStream()"

MUTANTS = [
    # ---- half precision
    Mutant(CU, "Function::gelu(Number<T>(a.at[j]) + Number<T>(b.at[j]))",
           "Function::gelu(Number<T>(T(Number<T>(a.at[j]) + Number<T>(b.at[j]))))", T + "half_precision_is_rounded_once"),
    Mutant(CU, "sum.at[j] += result.at[j] = Number<T>(gradient.at[j]) * slope;",
           "sum.at[j] += Number<T>(T(result.at[j] = Number<T>(gradient.at[j]) * slope));",
           T + "half_precision_is_rounded_once", why="a sum of rounded gradients"),
    Mutant(CPP, "at::toOpMathType(x.scalar_type())", "x.scalar_type()",
           OPERATORS + "right_at_awkward_sizes[forward-09_library.bias_gelu_backward float16]",
           why="half of the memory for the sums in float"),
    Mutant(PY, "number = torch.promote_types(dtype, torch.float32)", "number = dtype",
           T + "second_derivatives_in_half_precision"),
    Mutant(CPP, "at::kHalf, at::kBFloat16};", "at::kHalf, at::kBFloat16, at::kFloat8_e5m2};",
           T + "the_operator_refuses[Python-float8]"),
    # ---- the kernels, the sums over rows
    *(Mutant(CU, text, replacement, T + "forward_and_backward") for text, replacement in (
        ("T(-2 * 0.79788456080286535588", "T(2 * 0.79788456080286535588"),
        ("T(0.5) * std::erf(u * T(0.70710678118654752440)) + u * density", "u * density"),
        ("T(3 * 0.044715)", "T(0.044715)"),
        ("half = (count + 1) / 2;", "half = count / 2;"),
        ("        __syncthreads();\n", ""),
        ("partial + blockIdx.y * columns + column", "partial + column"),
        ("if (gridDim.y == 1)", "if (true)"),
        ("std::max<int64_t>(multiprocessors / tiles, 1)", "multiprocessors / tiles"),
        ("std::max<int64_t>(tiles, multiprocessors / most)", "multiprocessors / most"),
        ("row < rows; row += blockDim.y)", "row < rows - 1; row += blockDim.y)"),
        ("if (++column == columns) column = 0;", "column++;"),
        ("|| column + V <= columns)", "|| columns != 1)"),
        ("for (; i < n; i++)", "for (; i < n - 1; i++)"),
        ("if (i < n) compute", "compute"),
        ("k++, ahead += step)", "k++, ahead += 2 * step)"),
    )),
    Mutant(CU, "columns % V == 0 && aligned(out) && aligned(x)", "columns % V == 0",
           T + "an_argument_that_begins_anywhere", gpus=1, why="a CPU loads 16 bytes from any address"),
    Mutant(CU, "    if (n == 0) return;  // CUDA refuses a grid of 0 blocks\n", "", T + "forward_and_backward"),
    # ---- what the operators refuse, what the dispatcher is told
    *(Mutant(CPP, text, "true", f"{T}the_operator_refuses[Python-{name}]") for text, name in (
        ("x.defined()", "None"), ("x.is_contiguous()", "transposed"),
        ("std::find(dtypes.begin(), dtypes.end(), x.scalar_type()) != dtypes.end()", "bias of float16"),
        ("x.dim() >= 1", "no dimension"), ("bias.dim() == 1", "bias of two dimensions"),
        ('approximate == "none" || approximate == "tanh"', "another word"))),
    Mutant(CPP, "grad.sym_sizes() == x.sym_sizes()", "true", T + "backward_refuses[shape]"),
    Mutant(CPP, "    check_no_grad(x, name);\n", "", T + "without_library_py"),
    Mutant(CPP, "overlap != at::MemOverlapStatus::Partial", "true", T + "in_place_and_shared_memory"),
    Mutant(CPP, "check_no_grad(x, argument.name().c_str());", "", T + "in_place_refuses_gradients"),
    Mutant(CPP, "check_no_tangent(x, argument.name().c_str());", "", T + "forward_mode_is_refused"),
    Mutant(CPP, "x.unsafeGetTensorImpl()->bump_version();", ";",
           OPERATORS + "autograd_learns_that_the_output_was_overwritten[09_library.bias_gelu_]"),
    # ---- gradients, autocast, vmap
    Mutant(PY, "grad.contiguous()", "grad", DERIVATIVES + "[09_library.bias_gelu]"),
    Mutant(AUTOGRAD, "grads[0].contiguous()", "grads[0]",
           DERIVATIVES + "[09_library.bias_gelu gradient in C++]"),
    Mutant(PY, " + grad_of_grad_bias.to(number)", "",
           DERIVATIVES + "[09_library.bias_gelu_backward]"),
    Mutant(PY, "(2 - u * u) * density", "(1 - u * u) * density", DERIVATIVES + "[09_library.bias_gelu]"),
    Mutant(PY, "k * 6 * 0.044715", "k * 3 * 0.044715", DERIVATIVES + "[09_library.bias_gelu]"),
    Mutant(PY, "(torch.float16, torch.bfloat16)", "(torch.float16,)", TWO_DTYPES),
    Mutant(PY, "if len({t.dtype for t in tensors}) > 1:", "if True:", ONE_DTYPE),
    Mutant(AUTOGRAD, "cached_cast(at::kFloat, x, kernel_device)", "x", TWO_DTYPES),
    Mutant(AUTOGRAD, "if (x.scalar_type() == bias.scalar_type())", "if (false)", ONE_DTYPE),
    Mutant(AUTOGRAD, "    m.impl(\"bias_gelu\", at::autocast::get_autocast_dispatch_key_from_device_type(kernel_device), "
           "TORCH_FN(autocast));\n", "", TWO_DTYPES,
           why="autograd saves what the inner operator's autocast has not converted yet"),
    Mutant(PY, "    if info.batch_size == 0:", "    if False:", DISPATCHER + "vmap"),
    Mutant(PY, "x.movedim(x_dim, 0).contiguous(), bias", "x.movedim(x_dim, 0), bias", DISPATCHER + "vmap"),
    Mutant(CPP, f"x.size(-1), approximate == \"tanh\",\n                         {STREAM}",
           "x.size(-1), approximate == \"tanh\",\n                         nullptr",
           [GPU + "a_side_stream_needs_no_synchronize[09_library.bias_gelu]",
            DISPATCHER + "a_cuda_graph_under_reduce_overhead"], gpus=1),
]  # fmt: skip
