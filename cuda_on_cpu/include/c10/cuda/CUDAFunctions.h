// Stands in for torch's header. There is one device, and nothing to wait for.
#pragma once

#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>

#pragma GCC visibility push(hidden)

namespace c10::cuda {

inline DeviceIndex device_count() noexcept { return 1; }
inline DeviceIndex device_count_ensure_non_zero() { return 1; }
inline DeviceIndex current_device() { return 0; }
inline cudaError_t SetDevice(DeviceIndex device) { return cudaSetDevice(device); }
inline cudaError_t MaybeSetDevice(DeviceIndex device) { return cudaSetDevice(device); }
inline void set_device(DeviceIndex device) { C10_CUDA_CHECK(cudaSetDevice(device)); }
inline void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }
inline void stream_synchronize(cudaStream_t stream) { C10_CUDA_CHECK(cudaStreamSynchronize(stream)); }
inline void memcpy_and_sync(void* to, const void* from, int64_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    C10_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream));
}

}  // namespace c10::cuda

#pragma GCC visibility pop
