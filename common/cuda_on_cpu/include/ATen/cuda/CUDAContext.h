// Stands in for torch's header.
#pragma once

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)

#pragma GCC visibility push(hidden)

namespace at::cuda {

inline cudaDeviceProp* getCurrentDeviceProperties() {
    static cudaDeviceProp properties = [] {
        cudaDeviceProp p;
        C10_CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
        return p;
    }();
    return &properties;
}
inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex) { return getCurrentDeviceProperties(); }
inline int warp_size() { return 32; }
inline bool is_available() { return true; }

}  // namespace at::cuda

#pragma GCC visibility pop

namespace at {

// For packed_accessor32<float, 2, torch::RestrictPtrTraits>(). torch defines it for nvcc only.
template <typename T>
struct RestrictPtrTraits {
    typedef T* __restrict__ PtrType;
};

}  // namespace at

namespace torch {
using at::RestrictPtrTraits;
}
