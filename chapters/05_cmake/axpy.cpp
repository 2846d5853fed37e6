// axpy.cpp: tensors in, tensors out. No Python in here, so a C++ program can link it; Python's part is binding.cpp.
#include "axpy.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cmath>
#include <limits>

#include "common/check_input.h"

void check_axpy(const at::Tensor& x, const at::Tensor& y, double alpha) {
    // In an exported model a size or a stride may be a symbol. sizes() and strides() throw then, sym_sizes() does not.
    const auto check_one = [](const at::Tensor& tensor, const char* name) {
        TORCH_CHECK_TYPE(tensor.scalar_type() == at::kFloat, name, " must have dtype Float, got ",
                         tensor.scalar_type());
        TORCH_CHECK_VALUE(tensor.is_contiguous(), name, " must be contiguous, got strides ", tensor.sym_strides(),
                          " for shape ", tensor.sym_sizes(), "; pass ", name, ".contiguous()");
    };
    check_one(x, "x");
    check_one(y, "y");
    TORCH_CHECK_VALUE(x.sym_sizes() == y.sym_sizes(), "x and y must have the same shape, got ", x.sym_sizes(), " and ",
                      y.sym_sizes());
    TORCH_CHECK_VALUE(x.device() == y.device(), "x and y must be on the same device, got ", x.device(), " and ",
                      y.device());
    // axpy() computes with infinity and NaN. 1e300 is finite, and float32 would turn it into infinity.
    TORCH_CHECK_VALUE(!std::isfinite(alpha) || std::abs(alpha) <= std::numeric_limits<float>::max(),
                      "alpha must fit into float32, got ", alpha);
}

at::Tensor axpy(const at::Tensor& x, const at::Tensor& y, double alpha) {
    check_input(x, "x", at::kFloat);  // dtype and strides, too; and what only tensors with memory can have wrong
    check_input(y, "y", at::kFloat);
    check_axpy(x, y, alpha);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor z = at::empty(x.sizes(), x.options());
    launch_axpy(z.mutable_data_ptr<float>(), float(alpha), x.const_data_ptr<float>(), y.const_data_ptr<float>(),
                x.numel(), c10::cuda::getCurrentCUDAStream());
    return z;
}
