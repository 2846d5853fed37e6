// softmax.cpp: the operators for torch, by its stable ABI (chapter 10): every check before a kernel sees a pointer.
// Gradients and what torch.compile needs are in gradients.py.
#include "softmax.h"

#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "common/stable.h"
#include "rms_norm.h"

// The first two steps of the ladder are softmax's own.
static Step step_of(const std::string& name, bool of_softmax = false) {
    static const std::array<std::pair<const char*, Step>, 7> steps = {{{"auto", Step::automatic},
                                                                       {"three_passes", Step::three_passes},
                                                                       {"shared", Step::shared},
                                                                       {"online", Step::online},
                                                                       {"warp", Step::warp},
                                                                       {"block", Step::block},
                                                                       {"cluster", Step::cluster}}};
    for (const auto& [known, step] : steps)
        if (name == known && (of_softmax || (step != Step::three_passes && step != Step::shared))) return step;
    STD_TORCH_CHECK(false, "step must be auto, ", of_softmax ? "three_passes, shared, " : "",
                    "online, warp, block or cluster, got ", name);
}

static int64_t columns_of(const Tensor& x) { return x.size(x.dim() - 1); }
static int64_t rows_of(const Tensor& x) { return x.numel() == 0 ? 0 : x.numel() / columns_of(x); }

static void check_rows(const Tensor& x, const char* name) {
    check_input(x, name, FLOATS);
    STD_TORCH_CHECK(x.dim() >= 1, name, " must have 1 dimension or more, got 0");
}

static void check_weight(const Tensor& x, const Tensor& weight, double eps) {
    check_input(weight, "weight", {x.scalar_type()});
    STD_TORCH_CHECK(weight.dim() == 1 && weight.size(0) == columns_of(x), "weight must have the shape [", columns_of(x),
                    "], as x has the shape [", joined(x.sizes()), "], got [", joined(weight.sizes()), "]");
    check_same_device(x, "x", weight, "weight");
    STD_TORCH_CHECK(eps >= 0 && std::isfinite(float(eps)), "eps must be 0 or more, and fit into float32, got ", eps);
}

// x: float32, float16 or bfloat16, contiguous, one dimension or more; rows are along the last.
Tensor softmax(const Tensor& x, const std::string& step) {
    check_rows(x, "x");
    const Step chosen = step_of(step, true);
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::empty_like(x);
    with_type(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        launch_softmax(data<T>(out), data<const T>(x), rows_of(x), columns_of(x), chosen, current_stream(x));
    });
    return out;
}

// The gradient of x, given that of the result y.
Tensor softmax_backward(const Tensor& grad, const Tensor& y, const std::string& step) {
    check_rows(grad, "grad");
    check_input(y, "y", {grad.scalar_type()});
    check_same(grad, "grad", y, "y");
    const Step chosen = step_of(step);
    const DeviceGuard guard(y.get_device_index());
    const Tensor grad_x = torch::stable::empty_like(y);
    with_type(y.scalar_type(), [&](auto of) {
        using T = decltype(of);
        launch_softmax_backward(data<T>(grad_x), data<const T>(grad), data<const T>(y), rows_of(y), columns_of(y),
                                chosen, current_stream(y));
    });
    return grad_x;
}

// weight: as long as a row, of x's dtype and device.
Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps, const std::string& step) {
    check_rows(x, "x");
    check_weight(x, weight, eps);
    const Step chosen = step_of(step);
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::empty_like(x);
    with_type(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        launch_rms_norm(data<T>(out), data<const T>(x), data<const T>(weight), rows_of(x), columns_of(x), float(eps),
                        chosen, current_stream(x));
    });
    return out;
}

// The gradients of x and of weight, given that of the result.
std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& grad, const Tensor& x, const Tensor& weight, double eps,
                                             const std::string& step) {
    check_rows(x, "x");
    check_weight(x, weight, eps);
    check_input(grad, "grad", {x.scalar_type()});
    check_same(grad, "grad", x, "x");
    const Step chosen = step_of(step);
    const DeviceGuard guard(x.get_device_index());
    const Tensor grad_x = torch::stable::empty_like(x), grad_weight = torch::stable::empty_like(weight);
    with_type(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const int64_t rows = rows_of(x), n = columns_of(x);
        const Tensor partial = torch::stable::new_empty(x, {partial_rows<T>(rows, n, chosen), n}, ScalarType::Float);
        launch_rms_norm_backward(data<T>(grad_x), data<T>(grad_weight), data<float>(partial), data<const T>(grad),
                                 data<const T>(x), data<const T>(weight), rows, n, float(eps), chosen,
                                 current_stream(x));
    });
    return {grad_x, grad_weight};
}

STABLE_TORCH_LIBRARY(chapter13, m) {
    m.def("softmax(Tensor x, *, str step='auto') -> Tensor");
    m.def("softmax_backward(Tensor grad, Tensor y, *, str step='auto') -> Tensor");
    m.def("rms_norm(Tensor x, Tensor weight, float eps=1e-6, *, str step='auto') -> Tensor");
    m.def(
        "rms_norm_backward(Tensor grad, Tensor x, Tensor weight, float eps=1e-6, *, str step='auto') -> (Tensor, "
        "Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(chapter13, KERNEL_DISPATCH_KEY, m) {
    m.impl("softmax", TORCH_BOX(&softmax));
    m.impl("softmax_backward", TORCH_BOX(&softmax_backward));
    m.impl("rms_norm", TORCH_BOX(&rms_norm));
    m.impl("rms_norm_backward", TORCH_BOX(&rms_norm_backward));
}
