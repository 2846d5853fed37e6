// shared_memory.h: more dynamic shared memory for a kernel than the 48 KiB that CUDA allows unless it is asked.
//
//   allow_shared_memory(kernel);
//   kernel<<<grid, block, 100 * 1024, stream>>>(...);
#pragma once
#include <cuda_runtime.h>

#include "common/cuda_check.h"
#include "common/device_attribute.h"

// Bytes that a block of the current device can have, static and dynamic.
inline int most_shared_memory() { return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

// Allows the kernel all dynamic shared memory that a block can have on the current device, and returns how many bytes
// these are. A kernel has one limit for all host threads. If each launch asked for what it needs, it could lower the
// limit that another thread needs for its launch.
template <class Kernel>
int allow_shared_memory(Kernel kernel) {
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    const int most = most_shared_memory() - int(attributes.sharedSizeBytes);
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    return most;
}
