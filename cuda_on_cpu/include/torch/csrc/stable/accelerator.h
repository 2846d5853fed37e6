// Stands in for torch's header. The tensors of CUDA on CPU are CPU tensors, whose device has the index -1 or 0.
#pragma once

#include <cuda_runtime.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/util/Exception.h>

#include <cstdint>

#pragma GCC visibility push(hidden)  // not to be mixed up with torch's own, which may be loaded in the same process

namespace torch::stable::accelerator {

using DeviceIndex = int32_t;
using StreamId = int64_t;

class DeviceGuard {
public:
    explicit DeviceGuard(DeviceIndex index) {
        set_index(index);
        if (cuda_on_cpu::watch) cuda_on_cpu::watch->guards++, cuda_on_cpu::watch->guarded_device = index;
    }
    ~DeviceGuard() {
        if (cuda_on_cpu::watch) cuda_on_cpu::watch->guards--;
    }
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;

    void set_index(DeviceIndex index) {
        STD_TORCH_CHECK(index <= 0, "CUDA error: invalid device ordinal (CUDA on CPU has one device, got ", index, ")");
    }
};

// There is one stream, and all work on it is done when the launch returns.
class Stream {
public:
    StreamId id() const { return 0; }
    void* nativeHandle() const { return cuda_on_cpu::current_stream(); }  // torch has it from 2.13 on
};

inline Stream getCurrentStream(DeviceIndex index) {
    if (cuda_on_cpu::watch) cuda_on_cpu::watch->stream_device = index;
    return {};
}
inline DeviceIndex getCurrentDeviceIndex() { return 0; }

}  // namespace torch::stable::accelerator

#pragma GCC visibility pop
