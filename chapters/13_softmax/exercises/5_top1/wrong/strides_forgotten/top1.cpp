// top1.cpp: a matrix in, values and indices out, by torch's stable ABI.
#include "top1.h"

#include <tuple>

#include "common/stable.h"

// x: float32, contiguous, two dimensions, at least one column. Returns the largest element of each row, float32, and
// its index, int64.
std::tuple<Tensor, Tensor> top1(const Tensor& x) {
    // your code
    STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float, "x must have dtype Float");
    STD_TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, "x must have 2 dimensions and at least one column");
    const DeviceGuard guard(x.get_device_index());
    const int64_t rows = x.size(0), n = x.size(1);
    const Tensor values = torch::stable::new_empty(x, {rows});
    const Tensor indices = torch::stable::new_empty(x, {rows}, ScalarType::Long);
    launch_top1(data<float>(values), data<int64_t>(indices), data<const float>(x), rows, n, current_stream(x));
    return {values, indices};
    // end of your code
}

STABLE_TORCH_LIBRARY(exercise13, m) { m.def("top1(Tensor x) -> (Tensor, Tensor)"); }

STABLE_TORCH_LIBRARY_IMPL(exercise13, KERNEL_DISPATCH_KEY, m) { m.impl("top1", TORCH_BOX(&top1)); }
