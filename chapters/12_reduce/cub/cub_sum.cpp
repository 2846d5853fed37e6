// cub_sum.cpp: CUB's sum as an operator, to compare with. main.py builds it where there is a GPU.
#include "cub_sum.h"

#include "common/stable.h"

Tensor cub_sum(const Tensor& x) {
    check_input(x, "x", {ScalarType::Float});
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::new_empty(x, {});
    const cudaStream_t stream = current_stream(x);
    size_t bytes = 0;
    launch_cub_sum(data<float>(out), data<const float>(x), x.numel(), nullptr, bytes, stream);
    const Tensor memory = torch::stable::new_empty(x, {int64_t(bytes) + 1}, ScalarType::Byte);
    launch_cub_sum(data<float>(out), data<const float>(x), x.numel(), memory.mutable_data_ptr(), bytes, stream);
    return out;
}

STABLE_TORCH_LIBRARY(chapter12_cub, m) { m.def("sum(Tensor x) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(chapter12_cub, KERNEL_DISPATCH_KEY, m) { m.impl("sum", TORCH_BOX(&cub_sum)); }
