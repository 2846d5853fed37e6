"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "m.def enters a schema, m.impl a function for a key: the lesson's block TORCH_LIBRARY has one of each for bias_gelu. "
    "The namespace here is exercise, the first argument of TORCH_LIBRARY.",
    "outer checks dtype, dimensions and gaps. Its Meta function must raise the same errors: TORCH_CHECK_TYPE for the dtype, "
    "TORCH_CHECK_VALUE for the rest. check_input() asks for tensors with memory, so it cannot help.",
    "A size that torch leaves open is a symbol: sym_size(0) takes it, size(0) raises an error. x.new_empty_symint({...}) "
    "makes a tensor with such sizes.",
    'm.def("outer(Tensor x, Tensor y) -> Tensor"); then m.impl("outer", kernel_dispatch_key, TORCH_FN(outer)); and the same '
    "with c10::DispatchKey::Meta and TORCH_FN(outer_meta). The result of outer_meta: {x.sym_size(0), y.sym_size(0)}.",
]
WRONG = {
    "no_meta": (
        "no function for fake tensors",
        {"outer.cpp": [('    m.impl("outer", c10::DispatchKey::Meta, TORCH_FN(outer_meta));\n', "")]},
    ),
    "square": (
        "the Meta function promises the shape [1, 1], the operator returns [1, 0]",
        {"outer.cpp": [(", y.sym_size", ", x.sym_size")]},
    ),
    "fixed_size": (
        "the Meta function takes a size for a number",
        {"outer.cpp": [("new_empty_symint({x.sym_size(0), y.sym_size", "new_empty({x.size(0), y.size")]},
    ),
    "kernel_for_meta": (
        ", got meta",
        {"outer.cpp": [("TORCH_FN(outer_meta)", "TORCH_FN(outer)")]},
    ),
    "meta_takes_all": (
        "x of float64: the operator refuses it with TypeError, and its Meta function does not",
        {"outer.cpp": [('    check_meta(x, "x");\n    check_meta(y, "y");\n', "")]},
    ),
    "meta_checks_x": (
        "y of float64: the operator refuses it with TypeError, and its Meta function does not",
        {"outer.cpp": [('    check_meta(y, "y");\n', "")]},
    ),
    "meta_raises_another": (
        "x with gaps between its elements: the operator raises ValueError, and its Meta function RuntimeError",
        {"outer.cpp": [("TORCH_CHECK_VALUE(x.is_contiguous()", "TORCH_CHECK(x.is_contiguous()")]},
    ),
    "writes": ("which are only read", {"outer.cpp": [("(Tensor", "(Tensor(a!)")]}),
    "by_torch": (
        "outer gives the same result when its kernels do nothing",
        {
            "outer.cpp": [
                (
                    "    at::Tensor out = x.new_empty({x.size(0), y.size(0)});\n",
                    "    const at::Tensor out = at::outer(x, y);\n",
                ),
                ("#include <torch/library.h>\n", "#include <ATen/ops/outer.h>\n#include <torch/library.h>\n"),
            ]
        },
    ),
    "never_freed": (
        "bytes of cudaMalloc() are never freed",
        {
            "outer.cu": [
                (
                    "    if (m * n == 0) return;\n",
                    "    if (m * n == 0) return;\n    float* scratch;\n    cudaMalloc(&scratch, 4 * m * n);\n",
                )
            ]
        },
    ),
    "strides": (
        "the Meta function promises the strides [1, 3], the operator returns [2, 1]",
        {
            "outer.cpp": [
                (
                    "return x.new_empty_symint({x.sym_size(0), y.sym_size(0)});",
                    "return x.new_empty_symint({y.sym_size(0), x.sym_size(0)}).t();",
                )
            ]
        },
    ),
    "stride_of_one_element": (
        "x of one element, with a stride of 6",
        {"outer.cpp": [("TORCH_CHECK_VALUE(x.is_contiguous()", "TORCH_CHECK_VALUE(x.stride(0) == 1")]},
    ),
    "key_typed_in": (
        "outer.cpp names the key CPU",
        {"outer.cpp": [('m.impl("outer", kernel_dispatch_key,', 'm.impl("outer", c10::DispatchKey::CPU,')]},
    ),
    "meta_for_all": (
        "a function is entered under CompositeExplicitAutograd",
        {"outer.cpp": [("c10::DispatchKey::Meta", "c10::DispatchKey::CompositeExplicitAutograd")]},
    ),
    "scalars": (
        "x of no dimension: the operator raises ValueError",
        {"outer.cpp": [("TORCH_CHECK_VALUE(x.dim() == 1, name", "TORCH_CHECK_VALUE(x.dim() <= 1, name")]},
    ),
    "meta_refuses_float64_only": (
        "x of int32: the operator refuses it with TypeError",
        {"outer.cpp": [("x.scalar_type() == at::kFloat, name", "x.scalar_type() != at::kDouble, name")]},
    ),
}
