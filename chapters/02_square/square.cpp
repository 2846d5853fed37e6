// square.cpp: what Python calls. load_inline() calls this text cpp_sources and compiles it apart from square.cu;
// square.h declares the launchers that it calls.
#include "square.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include "common/check_tensor.h"

// What both operators share. launch: one of square.h's launchers.
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

// A binding by hand, which names the arguments. functions=["square_matrix", ...] would have load_inline() write the
// same lines without py::arg: then square_matrix(matrix=x) fails, and errors speak of arg0.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("square_matrix", torch::wrap_pybind_function_no_gil(square_matrix), py::arg("matrix"));
    m.def("square_by_columns", torch::wrap_pybind_function_no_gil(square_by_columns), py::arg("matrix"));
}
