// Stands in for torch's header. All work on a stream is done when the launch returns.
#pragma once

#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>

#pragma GCC visibility push(hidden)  // not to be mixed up with torch's own, which may be loaded in the same process

namespace c10::cuda {

class CUDAStream {
public:
    explicit CUDAStream(cudaStream_t stream = nullptr) : stream_(stream) {}
    cudaStream_t stream() const { return stream_; }
    operator cudaStream_t() const { return stream(); }
    DeviceIndex device_index() const { return 0; }
    Device device() const { return Device(kCPU); }
    bool query() const { return true; }
    void synchronize() const {}
    bool operator==(const CUDAStream& other) const { return stream_ == other.stream_; }
    bool operator!=(const CUDAStream& other) const { return stream_ != other.stream_; }

private:
    cudaStream_t stream_;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return CUDAStream(cuda_on_cpu::current_stream()); }
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) {
    static CUstream_st pool;
    return CUDAStream(&pool);
}
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
