// Stands in for torch's header. There is one stream, and all work on it is done when the launch returns.
#pragma once

#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>

#pragma GCC visibility push(hidden)  // not to be mixed up with torch's own, which may be loaded in the same process

namespace c10::cuda {

class CUDAStream {
public:
    cudaStream_t stream() const { return nullptr; }
    operator cudaStream_t() const { return stream(); }
    DeviceIndex device_index() const { return 0; }
    Device device() const { return Device(kCPU); }
    bool query() const { return true; }
    void synchronize() const {}
    bool operator==(const CUDAStream&) const { return true; }
    bool operator!=(const CUDAStream&) const { return false; }
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return {}; }
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return {}; }
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) { return {}; }
inline void setCurrentCUDAStream(CUDAStream) {}

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromPool;
using c10::cuda::setCurrentCUDAStream;
}  // namespace at::cuda

#pragma GCC visibility pop
