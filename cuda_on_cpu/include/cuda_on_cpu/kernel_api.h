// What the host asks about a kernel: its attributes, and how many of its blocks fit into the device.
#pragma once

#include "cuda_on_cpu/device_api.h"

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout,
    cudaFuncAttributeClusterDimMustBeSet,
    cudaFuncAttributeRequiredClusterWidth,
    cudaFuncAttributeRequiredClusterHeight,
    cudaFuncAttributeRequiredClusterDepth,
    cudaFuncAttributeNonPortableClusterSizeAllowed,
    cudaFuncAttributeClusterSchedulingPolicyPreference,
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100,
};

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// How much dynamic shared memory each kernel has been allowed.
inline std::mutex limits_mutex;
inline AddressTable<size_t> limits;

inline size_t dynamic_shared_limit(const void* kernel) {
    const std::lock_guard<std::mutex> lock(limits_mutex);
    if (const size_t* found = limits.find(kernel)) return *found;
    size_t limit = static_shared;
    if (!kernel)  // an overloaded name does not say which kernel it is, so the largest limit counts
        for (const auto* e = limits.first; e; e = e->next) limit = std::max(limit, e->value);
    return limit;
}

}  // namespace cuda_on_cpu

template <class F>
cudaError_t cudaFuncSetAttribute(F kernel, cudaFuncAttribute attribute, int value) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || size_t(value) > cuda_on_cpu::max_dynamic_shared) return cuda_on_cpu::record(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::limits_mutex);
    cuda_on_cpu::limits.set((const void*)kernel, size_t(value));
    return cudaSuccess;
}

namespace cuda_on_cpu {

// How many blocks may be alive at once, in a multiprocessor and in all.
inline unsigned blocks_per_multiprocessor(unsigned threads, size_t shared) {
    const size_t room = (max_dynamic_shared + 1024) / (shared + 1024);  // CUDA adds 1 KiB to each block
    return unsigned(std::min({size_t(2048 / ((threads + 31) / 32 * 32)), size_t(32), room}));
}
inline unsigned resident_blocks(unsigned threads, size_t shared) {
    return multiprocessors * blocks_per_multiprocessor(threads, shared);
}

}  // namespace cuda_on_cpu

template <class F>
cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache) {
    return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetSharedMemConfig(F, cudaSharedMemConfig) {
    return cudaSuccess;
}
// A compiler for GPUs also knows the registers and the static shared memory: 0 stands for unknown.
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F kernel) {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = int(cuda_on_cpu::dynamic_shared_limit((const void*)kernel));
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F, int threads, size_t shared) {
    if (threads <= 0 || threads > 1024) return cuda_on_cpu::record(cudaErrorInvalidValue);
    *blocks = int(cuda_on_cpu::blocks_per_multiprocessor(unsigned(threads), shared));
    return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F kernel, int threads, size_t shared,
                                                                   unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* threads, F, size_t = 0, int limit = 0) {
    *threads = limit > 0 && limit < 1024 ? limit : 1024;
    *grid = int(cuda_on_cpu::resident_blocks(unsigned(*threads), 0));
    return cudaSuccess;
}
template <class Shared, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* threads, F kernel, Shared, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, threads, kernel, 0, limit);
}

#pragma GCC visibility pop
