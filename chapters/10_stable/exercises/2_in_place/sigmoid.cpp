// sigmoid.cpp: torch.ops.exercise.sigmoid_(x), in place, by the stable ABI.
#include "sigmoid.h"

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>

#include "common/check_tensor_stable.h"

void sigmoid_(const Tensor& x) {
    check_input(x, "x", {ScalarType::Float});
    const torch::stable::accelerator::DeviceGuard guard(x.get_device_index());
    void* stream = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
    launch_sigmoid(x.mutable_data_ptr<float>(), x.numel(), static_cast<cudaStream_t>(stream));
}

STABLE_TORCH_LIBRARY(exercise, m) { m.def("sigmoid_(Tensor(a!) x) -> ()"); }

STABLE_TORCH_LIBRARY_IMPL(exercise, KERNEL_DISPATCH_KEY, m) { m.impl("sigmoid_", TORCH_BOX(&sigmoid_)); }
