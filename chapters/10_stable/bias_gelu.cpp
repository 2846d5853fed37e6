// bias_gelu.cpp: the operators of chapter 09, by torch's stable ABI. Of torch's libraries this file uses C functions
// that later versions keep; what else the headers offer is compiled into this library. Kernels and gradients are
// chapter 09's.
#include "chapters/09_library/bias_gelu.h"

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>

#include <string>
#include <tuple>

#include "common/check_input_stable.h"

using torch::stable::accelerator::DeviceGuard;

static int64_t columns_of(const Tensor& x) { return x.size(x.dim() - 1); }
static int64_t rows_of(const Tensor& x) { return x.numel() == 0 ? 0 : x.numel() / columns_of(x); }

// Whether approximate is "tanh", after all checks.
static bool checked(const Tensor& x, const Tensor& bias, const std::string& approximate) {
    check_input(x, "x", {ScalarType::Float, ScalarType::Double});
    check_input(bias, "bias", {x.scalar_type()});
    STD_TORCH_CHECK(x.dim() >= 1, "x must have 1 dimension or more, got 0");
    STD_TORCH_CHECK(bias.dim() == 1 && bias.size(0) == columns_of(x), "bias must have the shape [", columns_of(x),
                    "], as x has the shape [", joined(x.sizes()), "], got [", joined(bias.sizes()), "]");
    check_same_device(x, "x", bias, "bias");
    STD_TORCH_CHECK(approximate == "none" || approximate == "tanh", "approximate must be none or tanh, got ",
                    approximate);
    return approximate == "tanh";
}

// torch's current stream of x's device. From torch 2.13 on: getCurrentStream(index).nativeHandle()
static cudaStream_t current_stream(const Tensor& x) {
    void* stream = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
    return static_cast<cudaStream_t>(stream);
}

// out = gelu(x + bias), for elements of type T. out may be x.
template <class T>
static void forward(const Tensor& out, const Tensor& x, const Tensor& bias, bool tanh) {
    launch_bias_gelu(out.mutable_data_ptr<T>(), x.const_data_ptr<T>(), bias.const_data_ptr<T>(), rows_of(x),
                     columns_of(x), tanh, current_stream(x));
}

template <class T>
static void backward(const Tensor& grad_x, const Tensor& grad_bias, const Tensor& grad, const Tensor& x,
                     const Tensor& bias, bool tanh) {
    const int64_t rows = rows_of(x), columns = columns_of(x);
    const Tensor partial = torch::stable::new_empty(x, {partial_rows<T>(rows, columns), columns});
    launch_bias_gelu_backward(grad_x.mutable_data_ptr<T>(), grad_bias.mutable_data_ptr<T>(),
                              partial.mutable_data_ptr<T>(), grad.const_data_ptr<T>(), x.const_data_ptr<T>(),
                              bias.const_data_ptr<T>(), rows, columns, tanh, current_stream(x));
}

// x: float32 or float64, contiguous, one dimension or more. bias: as long as the last one, of x's dtype and device.
Tensor bias_gelu(const Tensor& x, const Tensor& bias, const std::string& approximate) {
    const bool tanh = checked(x, bias, approximate);
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::empty_like(x);
    (x.scalar_type() == ScalarType::Float ? forward<float> : forward<double>)(out, x, bias, tanh);
    return out;
}

// The same in place: x is overwritten.
void bias_gelu_(const Tensor& x, const Tensor& bias, const std::string& approximate) {
    const bool tanh = checked(x, bias, approximate);
    check_apart(x, "x", bias, "bias");
    const DeviceGuard guard(x.get_device_index());
    (x.scalar_type() == ScalarType::Float ? forward<float> : forward<double>)(x, x, bias, tanh);
}

// The gradients of x and of bias, given that of the result.
std::tuple<Tensor, Tensor> bias_gelu_backward(const Tensor& grad, const Tensor& x, const Tensor& bias,
                                              const std::string& approximate) {
    const bool tanh = checked(x, bias, approximate);
    check_input(grad, "grad", {x.scalar_type()});
    check_same(grad, "grad", x, "x");
    const DeviceGuard guard(x.get_device_index());
    const Tensor grad_x = torch::stable::empty_like(x), grad_bias = torch::stable::empty_like(bias);
    (x.scalar_type() == ScalarType::Float ? backward<float> : backward<double>)(grad_x, grad_bias, grad, x, bias, tanh);
    return {grad_x, grad_bias};
}

STABLE_TORCH_LIBRARY(chapter10, m) {
    m.def("bias_gelu(Tensor x, Tensor bias, *, str approximate='none') -> Tensor");
    m.def("bias_gelu_(Tensor(a!) x, Tensor bias, *, str approximate='none') -> ()");
    m.def("bias_gelu_backward(Tensor grad, Tensor x, Tensor bias, *, str approximate='none') -> (Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(chapter10, KERNEL_DISPATCH_KEY, m) {
    m.impl("bias_gelu", TORCH_BOX(&bias_gelu));
    m.impl("bias_gelu_", TORCH_BOX(&bias_gelu_));
    m.impl("bias_gelu_backward", TORCH_BOX(&bias_gelu_backward));
}
