"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The lesson's table has a row for each word that changes. The headers are those at the beginning of the lesson's "
    "bias_gelu.cpp.",
    "Tensor, ScalarType, check_input(), check_same() and KERNEL_DISPATCH_KEY come from common/check_tensor_stable.h. "
    'check_input(x, "x", {ScalarType::Float}) takes a list of dtypes. The stream: current_stream() of the lesson.',
    "STABLE_TORCH_LIBRARY(exercise, m) has the m.def, "
    "STABLE_TORCH_LIBRARY_IMPL(exercise, KERNEL_DISPATCH_KEY, m) the m.impl, "
    'with TORCH_BOX(&axpy). A "float" of a schema is a double in C++.',
]
WRONG = {
    "float32": ("C++ reads 32 bits of factor", {"axpy.cpp": [("double", "float")]}),
    "no_checks": (
        "two columns of a matrix: RuntimeError is expected, and there was no error",
        {
            "axpy.cpp": [
                (
                    '    check_input(x, "x", {ScalarType::Float});\n'
                    '    check_input(y, "y", {ScalarType::Float});\n'
                    '    check_same(x, "x", y, "y");\n',
                    "",
                )
            ]
        },
    ),
    "no_impl": (
        "no function for tensors",
        {
            "axpy.cpp": [
                (
                    "\n"
                    'STABLE_TORCH_LIBRARY_IMPL(exercise, KERNEL_DISPATCH_KEY, m) { m.impl("axpy", '
                    "TORCH_BOX(&axpy)); }\n",
                    "",
                )
            ]
        },
    ),
    "default_stream": (
        "on the default stream, expected: on torch's current one",
        {
            "axpy.cpp": [
                (
                    "static cudaStream_t current_stream(const Tensor& x) {\n"
                    "    void* stream = nullptr;\n"
                    "    TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));\n"
                    "    return static_cast<cudaStream_t>(stream);\n"
                    "}\n"
                    "\n",
                    "",
                ),
                ("current_stream(x));", "nullptr);"),
            ]
        },
    ),
    "no_guard": (
        "no DeviceGuard is there",
        {
            "axpy.cpp": [
                ("    const torch::stable::accelerator::DeviceGuard guard(x.get_device_index());\n", ""),
            ]
        },
    ),
    "guard_gone": (
        "no DeviceGuard is there",
        {
            "axpy.cpp": [
                ("const torch::stable::accelerator::DeviceGuard guard(", "torch::stable::accelerator::DeviceGuard(")
            ]
        },
    ),
    "shapes": (
        "other shapes: RuntimeError is expected, and there was no error",
        {"axpy.cpp": [('    check_same(x, "x", y, "y");\n', "")]},
    ),
    "y_unchecked": (
        "y transposed: RuntimeError is expected",
        {
            "axpy.cpp": [('    check_input(y, "y", {ScalarType::Float});\n', "")],
        },
    ),
    "guard_of_device_0": (
        "the DeviceGuard is of a fixed device",
        {
            "axpy.cpp": [("guard(x.get_device_index())", "guard(0)")],
        },
    ),
    "stream_of_device_0": (
        "the stream is the current one of a fixed device",
        {
            "axpy.cpp": [
                ("aoti_torch_get_current_cuda_stream(x.get_device_index()", "aoti_torch_get_current_cuda_stream(0")
            ],
        },
    ),
    "number_of_32_bits": (
        "x with 2147483658 elements",
        {
            "axpy.cpp": [("x.numel(), current", "int(x.numel()), current")],
        },
    ),
    "returns_y": (
        "is [1.0], expected [1.5]",
        {
            "axpy.cpp": [
                (
                    "    const Tensor out = torch::stable::empty_like(x);\n",
                    ("    const Tensor out = torch::stable::clone(y);\n    return out;\n"),
                )
            ],
        },
    ),
    "on_the_host": (
        "axpy gives the same result when its kernels do nothing",
        {
            "axpy.cpp": [
                (
                    "    const Tensor out = torch::stable::empty_like(x);\n",
                    (
                        "    const Tensor out = torch::stable::empty_like(x);\n"
                        "    for (int64_t i = 0; i < x.numel(); i++)\n"
                        "        out.mutable_data_ptr<float>()[i] =\n"
                        "            float(factor) * x.const_data_ptr<float>()[i] + y.const_data_ptr<float>()[i];\n"
                    ),
                )
            ]
        },
    ),
    "never_freed": (
        "bytes of cudaMalloc() are never freed",
        {
            "axpy.cu": [
                (
                    "    if (n == 0) return;\n",
                    "    if (n == 0) return;\n    float* scratch;\n    cudaMalloc(&scratch, 4 * n);\n",
                )
            ]
        },
    ),
    "rounded_factor": (
        "axpy(factor=0.3, x=[1.0], y=[1.0]) is 1, expected 1.3",
        {"axpy.cpp": [("float(factor)", "float(int(factor * 2)) / 2")]},
    ),
    "as_many_elements": (
        "4 x 4 and 2 x 8, as many elements: RuntimeError is expected",
        {
            "axpy.cpp": [
                (
                    'check_same(x, "x", y, "y");',
                    'STD_TORCH_CHECK(x.numel() == y.numel(), "x and y must have one shape");',
                )
            ]
        },
    ),
    "flat_result": (
        "expected [[1.5, 2.0",
        {"axpy.cpp": [("torch::stable::empty_like(x)", "torch::stable::new_empty(x, {x.numel()})")]},
    ),
    "as_many_rows": (
        "4 x 4 and 4 x 2 x 2: RuntimeError is expected",
        {
            "axpy.cpp": [
                (
                    'check_same(x, "x", y, "y");',
                    'STD_TORCH_CHECK(x.numel() == y.numel() && x.size(0) == y.size(0), "x and y must have one shape");',
                )
            ]
        },
    ),
    "four_bytes": (
        "int32: RuntimeError is expected",
        {
            "axpy.cpp": [
                (
                    '    check_input(x, "x", {ScalarType::Float});\n    check_input(y, "y", {ScalarType::Float});\n',
                    '    check_input(x, "x", {ScalarType::Float, ScalarType::Int});\n'
                    '    check_input(y, "y", {ScalarType::Float, ScalarType::Int});\n',
                ),
                ("out.mutable_data_ptr<float>()", "static_cast<float*>(out.mutable_data_ptr())"),
                ("x.const_data_ptr<float>()", "static_cast<const float*>(x.const_data_ptr())"),
                ("y.const_data_ptr<float>()", "static_cast<const float*>(y.const_data_ptr())"),
            ]
        },
    ),
    "into_y": (
        "has changed y to [1.5]",
        {"axpy.cpp": [("torch::stable::empty_like(x)", "y")]},
    ),
    "unsigned_number": (
        "x with 4294967306 elements",
        {"axpy.cpp": [("x.numel(), current", "unsigned(x.numel()), current")]},
    ),
}
