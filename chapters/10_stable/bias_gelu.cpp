// bias_gelu.cpp: the operators of chapter 09, by torch's stable ABI. This library calls only those C functions of torch
// that later versions keep. The C++ of torch's headers becomes a part of it. Kernels and gradients are chapter 09's.
#include "chapters/09_library/bias_gelu.h"

#include <string>
#include <tuple>

#include "common/stable.h"

static int64_t columns_of(const Tensor& x) { return x.size(x.dim() - 1); }
static int64_t rows_of(const Tensor& x) { return x.numel() == 0 ? 0 : x.numel() / columns_of(x); }

// Makes all checks, and returns whether approximate is "tanh".
static bool checked(const Tensor& x, const Tensor& bias, const std::string& approximate) {
    check_input(x, "x", {ScalarType::Float, ScalarType::Double, ScalarType::Half, ScalarType::BFloat16});
    check_input(bias, "bias", {x.scalar_type()});
    STD_TORCH_CHECK(x.dim() >= 1, "x must have 1 dimension or more, got 0");
    STD_TORCH_CHECK(bias.dim() == 1 && bias.size(0) == columns_of(x), "bias must have the shape [", columns_of(x),
                    "], as x has the shape [", joined(x.sizes()), "], got [", joined(bias.sizes()), "]");
    check_same_device(x, "x", bias, "bias");
    STD_TORCH_CHECK(approximate == "none" || approximate == "tanh", "approximate must be none or tanh, got ",
                    approximate);
    return approximate == "tanh";
}

// Calls f with a value of CUDA's type for x's dtype: float, double, __half or __nv_bfloat16.
template <class F>
static void with_type_of(const Tensor& x, F f) {
    if (x.scalar_type() == ScalarType::Double) return f(double());
    with_type(x.scalar_type(), f);
}

// out = gelu(x + bias). out may be x.
static void run(const Tensor& out, const Tensor& x, const Tensor& bias, bool tanh) {
    with_type_of(x, [&](auto of) {
        using T = decltype(of);
        launch_bias_gelu(data<T>(out), data<const T>(x), data<const T>(bias), rows_of(x), columns_of(x), tanh,
                         current_stream(x));
    });
}

// x: float32, float64, float16 or bfloat16, contiguous, one dimension or more. bias: as long as the last dimension, of
// x's dtype and device.
Tensor bias_gelu(const Tensor& x, const Tensor& bias, const std::string& approximate) {
    const bool tanh = checked(x, bias, approximate);
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::empty_like(x);
    run(out, x, bias, tanh);
    return out;
}

// The same in place: overwrites x.
void bias_gelu_(const Tensor& x, const Tensor& bias, const std::string& approximate) {
    const bool tanh = checked(x, bias, approximate);
    check_apart(x, "x", bias, "bias");
    const DeviceGuard guard(x.get_device_index());
    run(x, x, bias, tanh);
}

// The gradients of x and bias, given the gradient of the result.
std::tuple<Tensor, Tensor> bias_gelu_backward(const Tensor& grad, const Tensor& x, const Tensor& bias,
                                              const std::string& approximate) {
    const bool tanh = checked(x, bias, approximate);
    check_input(grad, "grad", {x.scalar_type()});
    check_same(grad, "grad", x, "x");
    const DeviceGuard guard(x.get_device_index());
    const Tensor grad_x = torch::stable::empty_like(x), grad_bias = torch::stable::empty_like(bias);
    with_type_of(x, [&](auto of) {
        using T = decltype(of);
        const int64_t rows = rows_of(x), columns = columns_of(x);
        const auto number = x.scalar_type() == ScalarType::Double ? ScalarType::Double : ScalarType::Float;
        const Tensor partial = torch::stable::new_empty(x, {partial_rows<T>(rows, columns), columns}, number);
        launch_bias_gelu_backward(data<T>(grad_x), data<T>(grad_bias), data<Number<T>>(partial), data<const T>(grad),
                                  data<const T>(x), data<const T>(bias), rows, columns, tanh, current_stream(x));
    });
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
