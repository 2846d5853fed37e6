// scaling.cpp: an operator in-place, and the binding that makes it the Python module scaling.kernel.
#include "scaling.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include "common/check_tensor.h"

// Every element times a number. x: float32, contiguous.
void scale_(const at::Tensor& x, double factor) {
    check_input(x, "x", at::kFloat);
    x.unsafeGetTensorImpl()->bump_version();
    const c10::cuda::CUDAGuard guard(x.device());
    launch_scale(x.mutable_data_ptr<float>(), float(factor), x.numel(), c10::cuda::getCurrentCUDAStream());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("scale_", torch::wrap_pybind_function_no_gil(scale_), py::arg("x"), py::arg("factor"));
}
