// rms_norm.cpp: the operators for torch, by its stable ABI (chapter 10): every check before a kernel sees a pointer.
// Gradients, shapes for torch.compile and autocast are in derivatives.py.
#include "rms_norm.h"

#include <cmath>
#include <tuple>

#include "common/stable.h"

static int64_t columns_of(const Tensor& x) { return x.size(x.dim() - 1); }
static int64_t rows_of(const Tensor& x) { return x.numel() == 0 ? 0 : x.numel() / columns_of(x); }

static void check_rows(const Tensor& x, const char* name, const Tensor& weight, double eps) {
    check_input(x, name, FLOATS_AND_DOUBLE);
    STD_TORCH_CHECK(x.dim() >= 1, name, " must have 1 dimension or more, got 0");
    check_input(weight, "weight", {x.scalar_type()});
    STD_TORCH_CHECK(weight.dim() == 1 && weight.size(0) == columns_of(x), "weight must have the shape [", columns_of(x),
                    "], as ", name, " has the shape [", joined(x.sizes()), "], got [", joined(weight.sizes()), "]");
    check_same_device(x, name, weight, "weight");
    STD_TORCH_CHECK(eps >= 0 && std::isfinite(float(eps)), "eps must be 0 or more, and fit into float32, got ", eps);
}

static void check_like(const Tensor& a, const char* a_name, const Tensor& x, const char* name) {
    check_input(a, a_name, {x.scalar_type()});
    check_same(a, a_name, x, name);
}

// Memory for the kernels' own use, from torch's allocator: no two calls share it.
static Tensor numbers(const Tensor& x, int64_t count) {
    const bool is_double = x.scalar_type() == ScalarType::Double;
    return torch::stable::new_empty(x, {count}, is_double ? ScalarType::Double : ScalarType::Float);
}

// x: float32, float64, float16 or bfloat16, contiguous, one dimension or more; rows are along the last. weight: as long
// as a row. All tensors of a call have one dtype and one device.
Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps) {
    check_rows(x, "x", weight, eps);
    const DeviceGuard guard(x.get_device_index());
    const Tensor y = torch::stable::empty_like(x);
    const int64_t rows = rows_of(x), n = columns_of(x);
    with_type_or_double(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const Tensor scratch = numbers(x, forward_scratch<T>(rows, n));
        launch_rms_norm(data<T>(y), data<const T>(x), data<const T>(weight), data<void>(scratch), rows, n, eps,
                        current_stream(x));
    });
    return y;
}

// Returns y and sum.
std::tuple<Tensor, Tensor> add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, double eps) {
    check_rows(x, "x", weight, eps);
    check_like(residual, "residual", x, "x");
    const DeviceGuard guard(x.get_device_index());
    const Tensor y = torch::stable::empty_like(x), sum = torch::stable::empty_like(x);
    const int64_t rows = rows_of(x), n = columns_of(x);
    with_type_or_double(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const Tensor scratch = numbers(x, forward_scratch<T>(rows, n));
        launch_add_rms_norm(data<T>(y), data<T>(sum), data<const T>(x), data<const T>(residual), data<const T>(weight),
                            data<void>(scratch), rows, n, eps, current_stream(x));
    });
    return {y, sum};
}

// The gradients of x and of weight, given that of y.
std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& grad, const Tensor& x, const Tensor& weight, double eps) {
    check_rows(x, "x", weight, eps);
    check_like(grad, "grad", x, "x");
    const DeviceGuard guard(x.get_device_index());
    const Tensor grad_x = torch::stable::empty_like(x), grad_weight = torch::stable::empty_like(weight);
    const int64_t rows = rows_of(x), n = columns_of(x);
    with_type_or_double(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const Tensor scratch = numbers(x, backward_scratch<T>(rows, n));
        launch_rms_norm_backward(data<T>(grad_x), data<T>(grad_weight), data<const T>(grad), data<const T>(x),
                                 data<const T>(weight), data<void>(scratch), rows, n, eps, current_stream(x));
    });
    return {grad_x, grad_weight};
}

// The gradients of x, which is also that of residual, and of weight, given those of y and of sum.
std::tuple<Tensor, Tensor> add_rms_norm_backward(const Tensor& grad, const Tensor& grad_sum, const Tensor& sum,
                                                 const Tensor& weight, double eps) {
    check_rows(sum, "sum", weight, eps);
    check_like(grad, "grad", sum, "sum");
    check_like(grad_sum, "grad_sum", sum, "sum");
    const DeviceGuard guard(sum.get_device_index());
    const Tensor grad_x = torch::stable::empty_like(sum), grad_weight = torch::stable::empty_like(weight);
    const int64_t rows = rows_of(sum), n = columns_of(sum);
    with_type_or_double(sum.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const Tensor scratch = numbers(sum, backward_scratch<T>(rows, n));
        launch_add_rms_norm_backward(data<T>(grad_x), data<T>(grad_weight), data<const T>(grad),
                                     data<const T>(grad_sum), data<const T>(sum), data<const T>(weight),
                                     data<void>(scratch), rows, n, eps, current_stream(sum));
    });
    return {grad_x, grad_weight};
}

STABLE_TORCH_LIBRARY(chapter14, m) {
    m.def("rms_norm(Tensor x, Tensor weight, float eps=1e-6) -> Tensor");
    m.def("add_rms_norm(Tensor x, Tensor residual, Tensor weight, float eps=1e-6) -> (Tensor y, Tensor sum)");
    m.def("rms_norm_backward(Tensor grad, Tensor x, Tensor weight, float eps=1e-6) -> (Tensor, Tensor)");
    m.def(
        "add_rms_norm_backward(Tensor grad, Tensor grad_sum, Tensor sum, Tensor weight, float eps=1e-6) -> (Tensor, "
        "Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(chapter14, KERNEL_DISPATCH_KEY, m) {
    m.impl("rms_norm", TORCH_BOX(&rms_norm));
    m.impl("add_rms_norm", TORCH_BOX(&add_rms_norm));
    m.impl("rms_norm_backward", TORCH_BOX(&rms_norm_backward));
    m.impl("add_rms_norm_backward", TORCH_BOX(&add_rms_norm_backward));
}
