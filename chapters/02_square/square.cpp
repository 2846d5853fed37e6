// square.cpp: what Python calls. load_inline calls this text cpp_sources. It is compiled apart from square.cu: square.h
// declares the launchers that it calls.
#include "square.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include "common/check_input.h"

// What the first two operators share. launch: one of square.h's.
static at::Tensor squared(const at::Tensor& matrix, decltype(launch_square_matrix) launch) {
    check_input(matrix, "matrix", at::kFloat);
    TORCH_CHECK_VALUE(matrix.dim() == 2, "matrix must have 2 dimensions, got ", matrix.dim(), ": shape ",
                      matrix.sizes());
    const c10::cuda::CUDAGuard guard(matrix.device());
    at::Tensor result = matrix.new_empty(matrix.sizes());
    launch(result.mutable_data_ptr<float>(), matrix.const_data_ptr<float>(), matrix.size(0), matrix.size(1),
           c10::cuda::getCurrentCUDAStream());
    return result;
}

// Every element squared. matrix: float32, 2-D, contiguous.
at::Tensor square_matrix(const at::Tensor& matrix) { return squared(matrix, launch_square_matrix); }
at::Tensor square_by_columns(const at::Tensor& matrix) { return squared(matrix, launch_square_by_columns); }

// Every element times 2. input: float32, any shape, contiguous.
at::Tensor custom_operation(const at::Tensor& input) {
    check_input(input, "input", at::kFloat);
    const c10::cuda::CUDAGuard guard(input.device());
    at::Tensor output = input.new_empty(input.sizes());
    launch_custom_operation(output.mutable_data_ptr<float>(), input.const_data_ptr<float>(), input.numel(),
                            c10::cuda::getCurrentCUDAStream());
    return output;
}

// The sum. a, b: float32, any shape (the same), contiguous.
at::Tensor add_cuda(const at::Tensor& a, const at::Tensor& b) {
    check_input(a, "a", at::kFloat);
    check_input(b, "b", at::kFloat);
    check_same(a, "a", b, "b");
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor c = a.new_empty(a.sizes());
    launch_add(c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), a.numel(),
               c10::cuda::getCurrentCUDAStream());
    return c;
}

// The binding by hand. functions=["square_matrix", ...] would have load_inline write these lines, but without the
// arguments' names: then square_matrix(matrix=x) fails, and an error names arg0.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("square_matrix", torch::wrap_pybind_function_no_gil(square_matrix), py::arg("matrix"));
    m.def("square_by_columns", torch::wrap_pybind_function_no_gil(square_by_columns), py::arg("matrix"));
    m.def("custom_operation", torch::wrap_pybind_function_no_gil(custom_operation), py::arg("input"));
    m.def("add_cuda", torch::wrap_pybind_function_no_gil(add_cuda), py::arg("a"), py::arg("b"));
}
