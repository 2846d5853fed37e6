// package.cpp: tensors in, tensors out, and the binding of the Python module my_cuda_extension.my_kernel.
#include "package.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include "common/check_tensor.h"

// Every element times 2. input: float32, any shape, contiguous.
at::Tensor my_cuda_function(const at::Tensor& input) {
    check_input(input, "input", at::kFloat);
    const c10::cuda::CUDAGuard guard(input.device());
    at::Tensor output = input.new_empty(input.sizes());
    launch_my_kernel(output.mutable_data_ptr<float>(), input.const_data_ptr<float>(), input.numel(),
                     c10::cuda::getCurrentCUDAStream());
    return output;
}

// TORCH_EXTENSION_NAME is the last part of the name in setup.py: my_kernel. In a file my_kernel.*.so Python looks for
// the function PyInit_my_kernel, so nobody may rename the file, up to its first dot.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("my_cuda_function", torch::wrap_pybind_function_no_gil(my_cuda_function), py::arg("input"));
}
