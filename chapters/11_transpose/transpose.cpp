// transpose.cpp: a tensor in, a tensor out, by torch's stable ABI (chapter 10). All checks are here.
#include "transpose.h"

#include <string>
#include <vector>

#include "common/stable.h"

// Calls f with an integer of that many bytes.
template <class F>
static void with_size(size_t bytes, F f) {
    if (bytes == 1) return f(uint8_t());
    if (bytes == 2) return f(uint16_t());
    if (bytes == 4) return f(uint32_t());
    return f(uint64_t());
}

template <class T>
static auto launcher_of(const std::string& step) {
    return step == "naive"      ? launch_transpose_naive<T>
           : step == "tile"     ? launch_transpose_tile<T>
           : step == "padded"   ? launch_transpose_padded<T>
           : step == "swizzled" ? launch_transpose_swizzled<T>
           : step == "wide"     ? launch_transpose<T>
           : step == "strips"   ? launch_transpose_strips<T>
                                : nullptr;
}

// One step of the lesson. x: contiguous, of 2 or 3 dimensions, with elements of 1, 2, 4 or 8 bytes. Returns a new
// contiguous tensor, in which the last two dimensions have changed places.
Tensor transpose_step(const Tensor& x, const std::string& step) {
    const size_t bytes = x.element_size();
    STD_TORCH_CHECK(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8,
                    "x must have a dtype of 1, 2, 4 or 8 bytes, got ", x.scalar_type());
    check_input(x, "x", {x.scalar_type()});
    STD_TORCH_CHECK(x.dim() == 2 || x.dim() == 3, "x must have 2 or 3 dimensions, got ", x.dim());
    STD_TORCH_CHECK(launcher_of<uint8_t>(step), "step must be naive, tile, padded, swizzled, wide or strips, got ",
                    step);

    const DeviceGuard guard(x.get_device_index());
    std::vector<int64_t> shape(x.sizes().begin(), x.sizes().end());
    std::swap(shape.end()[-1], shape.end()[-2]);
    const int64_t matrices = x.dim() == 3 ? shape[0] : 1, columns = shape.end()[-2], rows = shape.end()[-1];
    const Tensor out = torch::stable::new_empty(x, shape);
    with_size(bytes, [&](auto of) {
        using T = decltype(of);
        launcher_of<T>(step)(data<T>(out), data<const T>(x), matrices, rows, columns, current_stream(x));
    });
    return out;
}

Tensor transpose(const Tensor& x) { return transpose_step(x, "wide"); }

STABLE_TORCH_LIBRARY(chapter11, m) {
    m.def("transpose(Tensor x) -> Tensor");
    m.def("transpose_step(Tensor x, str step) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(chapter11, KERNEL_DISPATCH_KEY, m) {
    m.impl("transpose", TORCH_BOX(&transpose));
    m.impl("transpose_step", TORCH_BOX(&transpose_step));
}
