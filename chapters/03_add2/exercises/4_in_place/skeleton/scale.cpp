// scale.cpp: scale_(x, factor) multiplies x by a number, in-place.
#include "scale.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include "common/check_tensor.h"

// x: float32, contiguous, any shape. autograd refuses to use what x was before.
void scale_(const at::Tensor& x, double factor) {
    // your code
    // end of your code
    const c10::cuda::CUDAGuard guard(x.device());
    launch_scale(static_cast<float*>(x.mutable_data_ptr()), float(factor), x.numel(),
                 c10::cuda::getCurrentCUDAStream());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("scale_", torch::wrap_pybind_function_no_gil(scale_), py::arg("x"), py::arg("factor"));
}
