// binding.cpp: the same kernel bound by pybind11, as in chapters 01 to 08, for comparison (make chapter09
// ARGS=--pybind).
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>  // includes pybind11, and converts torch's tensors

#include <string>

#include "bias_gelu.h"
#include "common/check_tensor.h"
#include "common/cuda_type.h"

static at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias, const std::string& approximate) {
    check_input(x, "x", {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16});
    check_input(bias, "bias", x.scalar_type());
    TORCH_CHECK_VALUE(x.dim() >= 1, "x must have 1 dimension or more, got 0");
    TORCH_CHECK_VALUE(bias.dim() == 1 && bias.size(0) == x.size(-1), "bias must have the shape [", x.size(-1),
                      "], as x has the shape ", x.sizes(), ", got ", bias.sizes());
    TORCH_CHECK_VALUE(x.device() == bias.device(), "x and bias must be on the same device, got ", x.device(), " and ",
                      bias.device());
    TORCH_CHECK_VALUE(approximate == "none" || approximate == "tanh", "approximate must be none or tanh, got ",
                      approximate);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = x.new_empty(x.sizes());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "bias_gelu", [&] {
        using T = cuda_type<scalar_t>;
        launch_bias_gelu(data<T>(out), data<const T>(x), data<const T>(bias),
                         x.numel() == 0 ? 0 : x.numel() / x.size(-1), x.size(-1), approximate == "tanh",
                         c10::cuda::getCurrentCUDAStream());
    });
    return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("bias_gelu", torch::wrap_pybind_function_no_gil(bias_gelu), py::arg("x"), py::arg("bias"), py::kw_only(),
          py::arg("approximate") = "none");
}
