// scaling.cpp: two operators, and the binding that makes them the Python module scaling.my_kernel.
#include "scaling.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include "common/check_tensor.h"

// input: float32, any shape, contiguous.
static at::Tensor scale(const at::Tensor& input, float factor) {
    check_input(input, "input", at::kFloat);
    const c10::cuda::CUDAGuard guard(input.device());
    at::Tensor output = input.new_empty(input.sizes());
    launch_scale(output.mutable_data_ptr<float>(), input.const_data_ptr<float>(), factor, input.numel(),
                 c10::cuda::getCurrentCUDAStream());
    return output;
}

at::Tensor twice(const at::Tensor& input) { return scale(input, 2.0f); }
at::Tensor halve(const at::Tensor& input) { return scale(input, 0.5f); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("twice", torch::wrap_pybind_function_no_gil(twice), py::arg("input"));
    // your code
    m.def("halve", torch::wrap_pybind_function_no_gil(halve), py::arg("input"));
    // end of your code
}
