"""Small breakages of chapter 10 and of common/check_tensor_stable.h, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/10_stable/test_stable.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
REGISTERED = "tests/chapters/test_registered.py::test_"
WHEEL = "tests/chapters/10_stable/test_wheel.py::test_"
CPP, SETUP = "chapters/10_stable/bias_gelu.cpp", "chapters/10_stable/setup.py"
PART, PACKAGE = "chapters/10_stable/src/bias_gelu/registration.py", "chapters/10_stable/package.py"
CHECKS, STABLE = "common/check_tensor_stable.h", "common/stable.h"
BY_KERNEL, EVERYWHERE = T + "refused_by_the_kernel_alone", T + "refused_with_memory_and_without"

MUTANTS = [
    # ---- checks
    Mutant(CHECKS, "has >= needs", "has > 0", BY_KERNEL),
    Mutant(CHECKS, "int64_t last = x.storage_offset(), has", "int64_t last = 0, has", BY_KERNEL),
    Mutant(CHECKS, "STD_TORCH_CHECK(x.defined(), name", "STD_TORCH_CHECK(true, name", BY_KERNEL),
    Mutant(CHECKS, "STD_TORCH_CHECK(right, name", "STD_TORCH_CHECK(true, name", EVERYWHERE),
    Mutant(CHECKS, "STD_TORCH_CHECK(x.is_contiguous(), name", "STD_TORCH_CHECK(true, name", EVERYWHERE),
    Mutant(CHECKS, "STD_TORCH_CHECK(a.sizes().equals(b.sizes()), a_name", "STD_TORCH_CHECK(true, a_name", BY_KERNEL),
    Mutant(CHECKS, "STD_TORCH_CHECK(end <= other || other_end <= begin, a_name", "STD_TORCH_CHECK(true, a_name",
           BY_KERNEL),
    Mutant(CHECKS, "STD_TORCH_CHECK(x.device().type() == kernel_device, name", "STD_TORCH_CHECK(true, name",
           T + "another_device", gpus=1),
    Mutant(CPP, "STD_TORCH_CHECK(x.dim() >= 1,", "STD_TORCH_CHECK(true,", EVERYWHERE),
    Mutant(CPP, "bias.dim() == 1 && bias.size(0) == columns_of(x)", "bias.dim() == 1", EVERYWHERE),
    Mutant(CPP, '    check_apart(x, "x", bias, "bias");\n', "", BY_KERNEL),
    # ---- the operators
    Mutant(CPP, 'return approximate == "tanh";', "return false;",
           OPERATORS + "scalars[10_stable.bias_gelu-approximate]"),
    Mutant(CPP, "run(x, x, bias, tanh)", "run(x, x, bias, false)",
           REGISTERED + "in_place[10_stable.bias_gelu_]"),
    Mutant(CPP, "return {grad_x, grad_bias};", "return {grad_x, grad_x};",
           OPERATORS + "right_at_awkward_sizes[forward-10_stable.bias_gelu_backward]"),
    Mutant(STABLE, "return static_cast<cudaStream_t>(stream);", "return nullptr;", T + "torchs_current_stream", gpus=1),
    Mutant(CPP, "x.scalar_type() == ScalarType::Double ? ScalarType::Double : ScalarType::Float", "x.scalar_type()",
           OPERATORS + "right_at_awkward_sizes[forward-10_stable.bias_gelu_backward float16]",
           why="half of the memory for the sums in float"),
    # ---- what Python adds
    Mutant(PART, "    torch.autograd.graph.increment_version(x)", "    pass",
           OPERATORS + "autograd_learns_that_the_output_was_overwritten[10_stable.bias_gelu_]"),
    Mutant(PART, "torch._check(not (t.requires_grad and torch.is_grad_enabled()), lambda",
           "torch._check(True, lambda", T + "in_place_refuses_gradients"),
    Mutant(PART, "torch._check(x.is_contiguous(), lambda", "torch._check(True, lambda", EVERYWHERE),
    Mutant(PART, "torch._check(x.dim() >= 1, lambda", "torch._check(True, lambda", EVERYWHERE),
    Mutant("chapters/09_library/library.py", "getattr(torch.ops, namespace)", "torch.ops.chapter09",
           T + "vmap_of_an_empty_batch"),
    # ---- the package
    Mutant(PACKAGE, "[*files().values(), ", "[", WHEEL + "a_change_of_any_file_is_noticed"),
    Mutant(PACKAGE, 'output = output.replace(str(place / "source" / name), str(file))', "pass",
           WHEEL + "an_error_names_the_file_that_you_edit"),
    Mutant(SETUP, "if not (here / kernels).exists():", "if False:",
           WHEEL + "pip_in_this_chapter_says_what_builds_the_package"),
    Mutant(SETUP, '"-DUSE_CUDA", target]', '"-DUSE_CUDA"]', WHEEL + "no_shim_is_newer_than_the_target"),
    Mutant(SETUP, "py_limited_api=True,", "", WHEEL + "what_the_wheel_says_of_itself"),
    Mutant(SETUP, 'options={"bdist_wheel": {"py_limited_api": "cp310"}},', "", WHEEL + "what_the_wheel_says_of_itself"),
    Mutant(SETUP, "0x020b000000000000", "0x0211000000000000", T + "main_and_setup_target_the_same_torch"),
]  # fmt: skip
