// softmax.cpp: the operators for torch, by its stable ABI (chapter 10): every check before a kernel sees a pointer.
// Gradients and what torch.compile needs are in gradients.py.
#include "softmax.h"

#include <array>
#include <utility>

#include "common/stable.h"

// three_passes is a step of softmax alone.
static Step step_of(const std::string& name, bool of_softmax = false) {
    static const std::array<std::pair<const char*, Step>, 7> steps = {{{"auto", Step::automatic},
                                                                       {"three_passes", Step::three_passes},
                                                                       {"strip", Step::strip},
                                                                       {"warp", Step::warp},
                                                                       {"block", Step::block},
                                                                       {"twice", Step::twice},
                                                                       {"split", Step::split}}};
    for (const auto& [known, step] : steps)
        if (name == known && (of_softmax || step != Step::three_passes)) return step;
    STD_TORCH_CHECK(false, "step must be auto, ", of_softmax ? "three_passes, " : "",
                    "strip, warp, block, twice or split, got ", name);
}

static int64_t columns_of(const Tensor& x) { return x.size(x.dim() - 1); }
static int64_t rows_of(const Tensor& x) { return x.numel() == 0 ? 0 : x.numel() / columns_of(x); }

static void check_rows(const Tensor& x, const char* name) {
    check_input(x, name, FLOATS_AND_DOUBLE);
    STD_TORCH_CHECK(x.dim() >= 1, name, " must have 1 dimension or more, got 0");
}

// What the blocks of a row find goes through this memory, from torch's allocator: no two calls share it.
static Tensor parts_for(const Tensor& x, Step step) {
    const bool is_double = x.scalar_type() == ScalarType::Double;
    const int64_t bytes = columns_of(x) * int64_t(x.element_size()), blocks = blocks_of_a_row(rows_of(x), bytes, step);
    return torch::stable::new_empty(x, {2 * rows_of(x) * blocks}, is_double ? ScalarType::Double : ScalarType::Float);
}

// x: float32, float64, float16 or bfloat16, contiguous, one dimension or more; rows are along the last.
Tensor softmax(const Tensor& x, const std::string& step) {
    check_rows(x, "x");
    const Step chosen = step_of(step, true);
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::empty_like(x), parts = parts_for(x, chosen);
    with_type_or_double(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        launch_softmax(data<T>(out), data<const T>(x), data<void>(parts), rows_of(x), columns_of(x), chosen,
                       current_stream(x));
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
    const Tensor grad_x = torch::stable::empty_like(y), parts = parts_for(y, chosen);
    with_type_or_double(y.scalar_type(), [&](auto of) {
        using T = decltype(of);
        launch_softmax_backward(data<T>(grad_x), data<const T>(grad), data<const T>(y), data<void>(parts), rows_of(y),
                                columns_of(y), chosen, current_stream(y));
    });
    return grad_x;
}

STABLE_TORCH_LIBRARY(chapter13, m) {
    m.def("softmax(Tensor x, *, str step='auto') -> Tensor");
    m.def("softmax_backward(Tensor grad, Tensor y, *, str step='auto') -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(chapter13, KERNEL_DISPATCH_KEY, m) {
    m.impl("softmax", TORCH_BOX(&softmax));
    m.impl("softmax_backward", TORCH_BOX(&softmax_backward));
}
