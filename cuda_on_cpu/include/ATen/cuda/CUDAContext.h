// Stands in for torch's header.
#pragma once

#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

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
