"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "add2.cpp has the line for the dtype, the device and the strides: check_input().",
    "torch_launch_add2 in add2.cpp also changes a tensor of the caller. Which of its lines tells autograd so?",
]
WRONG = {
    "no_guard": (
        "when scale_ launches, no DeviceGuard is there",
        {"scale.cpp": [("    const c10::cuda::CUDAGuard guard(x.device());\n", "")]},
    ),
    "version_forgotten": ("version", {"scale.cpp": [("    x.unsafeGetTensorImpl()->bump_version();\n", "")]}),
    "strides_forgotten": ("ValueError is expected", {"scale.cpp": [(" check_input", " check_tensor")]}),
    "copies": (
        "ValueError is expected",
        {
            "scale.cpp": [
                ("const at::Tensor&", "at::Tensor"),
                ('check_input(x, "x", at::kFloat);', 'check_tensor(x, "x", at::kFloat);\n    x = x.contiguous();'),
            ]
        },
    ),
    "never_freed": (
        "bytes of cudaMalloc() are never freed",
        {
            "scale.cpp": [
                (
                    "    x.unsafeGetTensorImpl()->bump_version();\n",
                    (
                        "    x.unsafeGetTensorImpl()->bump_version();\n"
                        "    void* scratch = nullptr;\n"
                        "    cudaMalloc(&scratch, x.nbytes());\n"
                    ),
                )
            ]
        },
    ),
    "on_the_host": (
        "scale_ launches no kernel",
        {
            "scale.cpp": [
                (
                    "    x.unsafeGetTensorImpl()->bump_version();\n",
                    (
                        "    x.unsafeGetTensorImpl()->bump_version();\n"
                        "    float* p = x.mutable_data_ptr<float>();\n"
                        "    for (int64_t i = 0; i < x.numel(); i++) p[i] *= float(factor);\n"
                        "    return;\n"
                    ),
                )
            ]
        },
    ),
    "by_torch": (
        "scale_ gives the same result when its kernels do nothing",
        {
            "scale.cpp": [
                ("    x.unsafeGetTensorImpl()->bump_version();\n", "    x.mul_(factor);\n    factor = 1;\n"),
                (
                    "#include <torch/csrc/Exceptions.h>\n",
                    "#include <torch/csrc/Exceptions.h>\n#include <ATen/ATen.h>\n",
                ),
            ]
        },
    ),
    "no_device": (
        "a tensor of another device, meta: ",
        {
            "scale.cpp": [
                (
                    '    check_input(x, "x", at::kFloat);\n',
                    '    TORCH_CHECK_TYPE(x.scalar_type() == at::kFloat, "x must have dtype float32");\n'
                    '    TORCH_CHECK_VALUE(x.is_contiguous(), "x must be contiguous");\n',
                )
            ]
        },
    ),
    "begins_at_the_storage": (
        "makes of ten ones",
        {
            "scale.cpp": [
                (
                    "static_cast<float*>(x.mutable_data_ptr())",
                    "static_cast<float*>(const_cast<void*>(x.storage().data()))",
                )
            ]
        },
    ),
    "factor_as_int": ("n = 3: scale_(x, -1.5)", {"scale.cpp": [("float(factor)", "float(int(factor))")]}),
}
