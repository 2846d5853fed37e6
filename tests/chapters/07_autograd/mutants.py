"""Small breakages of chapter 07, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/07_autograd/test_autograd.py::test_"
KERNELS = "tests/chapters/07_autograd/test_kernels.py::test_"
TRAINING = "tests/chapters/07_autograd/test_training.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
GPU = "tests/chapters/test_operators_gpu.py::test_"
SIDE = GPU + "a_side_stream_needs_no_synchronize"
REUSED = GPU + "the_memory_of_inputs_may_be_reused_when_the_stream_has_got_there"
LARGE = GPU + "more_than_2_to_the_31_elements"
CU, CPP, PY = (f"chapters/07_autograd/{name}" for name in ("swiglu.cu", "swiglu.cpp", "training.py"))
STREAM = "c10::cuda::getCurrentCUDAStream()"

MUTANTS = [
    # ---- half precision
    Mutant(CU, "x.at[k] / (1 + std::exp(-x.at[k])) * y", "Number<T>(T(x.at[k] / (1 + std::exp(-x.at[k])))) * y",
           KERNELS + "half_precision_is_rounded_once"),
    Mutant(CPP, "number = at::toOpMathType(dtype);", "number = dtype;", KERNELS + "create_graph_in_half_precision"),
    # ---- packs, gradients, what is saved
    Mutant(CU, "i = first * V; i + V <= n; i += stride * V) swiglu_forward",
           "i = first * V; i + V < n; i += stride * V) swiglu_forward",
           OPERATORS + "right_at_awkward_sizes[forward-07_autograd.swiglu_forward]"),
    Mutant(CU, "x.at[k] / (1 + std::exp(-x.at[k])) * y.at[k]",
           "x.at[k] * std::exp(x.at[k]) / (1 + std::exp(x.at[k])) * y.at[k]", KERNELS + "large_numbers_give_no_nan"),
    Mutant(CU, "s * (1 + x.at[k] * (1 - s))", "s * (1 + x.at[k] * s)", T + "gradcheck"),
    Mutant(CU, "g.at[k] * (x.at[k] * s)", "g.at[k] * x.at[k] * s", KERNELS + "large_numbers_give_no_nan"),
    Mutant(CPP, "g * (x * s)", "g * x * s", KERNELS + "large_numbers_give_no_nan"),
    Mutant(CU, "uintptr_t(p) % 16 == 0;", "uintptr_t(p) % 8 == 0;", KERNELS + "every_alignment",
           gpus=1, why="a CPU loads 16 bytes from any address"),
    Mutant(CPP, "variable_list& grads) { return {grads[0], grads[0]}; }",
           "variable_list& grads) { return {grads[0], grads[0] * 2}; }", T + "gradcheck"),
    Mutant(PY, "train(module, torch.float64, steps)", "train(module, steps=steps)",
           TRAINING + "the_differences_of_both_types_are_kept"),
    Mutant(CPP, "s * (1 + x * (1 - s))", "s * (1 + x * s)", T + "create_graph_gives_the_same_gradients"),
    Mutant(CPP, "a.requires_grad() ? b : at::Tensor()", "b", TRAINING + "only_what_backward_needs_is_saved"),
    Mutant(CPP, "grads[0].resolve_neg().contiguous()", "grads[0].resolve_neg()",
           T + "gradients_that_are_not_contiguous"),
    Mutant(CPP, "at::kDouble, at::kHalf, at::kBFloat16};", "at::kDouble, at::kHalf, at::kBFloat16, at::kFloat8_e4m3fn};",
           OPERATORS + "another_dtype_is_refused[07_autograd.swiglu_forward]"),
    Mutant(CPP, f"data<const T>(*b) : nullptr,\n                                  a.numel(), {STREAM}",
           "data<const T>(*b) : nullptr,\n                                  a.numel(), nullptr",
           [SIDE + "[07_autograd.swiglu_backward]", REUSED + "[07_autograd.swiglu_backward]",
            GPU + "a_graph_of_forward_and_backward[07_autograd.swiglu]"], gpus=1),
    Mutant(CU, "void swiglu_forward_kernel(T* out, const T* a, const T* b, int64_t n)",
           "void swiglu_forward_kernel(T* out, const T* a, const T* b, int n)",
           [LARGE + "[07_autograd.swiglu_forward]"], gpus=1),
]  # fmt: skip
