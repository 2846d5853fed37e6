// What the host asks about the device and about kernels. The figures are those of a common GPU.
#pragma once

#include "cuda_on_cpu/runtime_api.h"

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
    int maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, maxBlocksPerMultiProcessor, l2CacheSize, memoryBusWidth;
    int integrated, canMapHostMemory, unifiedAddressing, managedMemory, concurrentKernels, asyncEngineCount;
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};

#pragma GCC visibility push(hidden)

inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
    return cuda_on_cpu::record(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    if (device != 0) return cuda_on_cpu::record(cudaErrorInvalidDevice);
    *p = cudaDeviceProp();
    strcpy(p->name, "CUDA on CPU");
    size_t unused;
    cudaMemGetInfo(&unused, &p->totalGlobalMem);
    p->sharedMemPerBlock = cuda_on_cpu::static_shared;
    p->sharedMemPerBlockOptin = cuda_on_cpu::max_dynamic_shared;
    p->sharedMemPerMultiprocessor = cuda_on_cpu::max_dynamic_shared + 1024;
    p->totalConstMem = p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = 32, p->maxThreadsPerBlock = 1024, p->maxThreadsPerMultiProcessor = 2048;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024, p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = INT_MAX, p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->major = 9, p->multiProcessorCount = cuda_on_cpu::multiprocessors, p->maxBlocksPerMultiProcessor = 32;
    p->l2CacheSize = 1 << 20, p->memoryBusWidth = 64;
    p->integrated = p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = 1;
    return cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, device) != cudaSuccess) return cudaErrorInvalidDevice;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = p.maxThreadsPerBlock;
            break;
        case cudaDevAttrMaxBlockDimX:
            *value = p.maxThreadsDim[0];
            break;
        case cudaDevAttrMaxBlockDimY:
            *value = p.maxThreadsDim[1];
            break;
        case cudaDevAttrMaxBlockDimZ:
            *value = p.maxThreadsDim[2];
            break;
        case cudaDevAttrMaxGridDimX:
            *value = p.maxGridSize[0];
            break;
        case cudaDevAttrMaxGridDimY:
            *value = p.maxGridSize[1];
            break;
        case cudaDevAttrMaxGridDimZ:
            *value = p.maxGridSize[2];
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = int(p.sharedMemPerBlock);
            break;
        case cudaDevAttrTotalConstantMemory:
            *value = int(p.totalConstMem);
            break;
        case cudaDevAttrWarpSize:
            *value = p.warpSize;
            break;
        case cudaDevAttrMaxRegistersPerBlock:
            *value = p.regsPerBlock;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = p.multiProcessorCount;
            break;
        case cudaDevAttrMemoryClockRate:
            *value = 0;  // unknown, as for a GPU whose driver hides it
            break;
        case cudaDevAttrGlobalMemoryBusWidth:
            *value = p.memoryBusWidth;
            break;
        case cudaDevAttrL2CacheSize:
            *value = p.l2CacheSize;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = p.maxThreadsPerMultiProcessor;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = p.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = p.minor;
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = int(p.sharedMemPerMultiprocessor);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = int(p.sharedMemPerBlockOptin);
            break;
        default:
            return cuda_on_cpu::record(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

// ---- kernels -------------------------------------------------------------------------------------------------------

namespace cuda_on_cpu {

// How much dynamic shared memory each kernel has been allowed.
inline std::mutex limits_mutex;
inline std::map<const void*, size_t> limits;

inline size_t dynamic_shared_limit(const void* kernel) {
    const std::lock_guard<std::mutex> lock(limits_mutex);
    const auto found = limits.find(kernel);
    if (found != limits.end()) return found->second;
    size_t limit = static_shared;
    if (!kernel)  // an overloaded name does not say which kernel it is, so the largest limit counts
        for (const auto& [_, bytes] : limits) limit = std::max(limit, bytes);
    return limit;
}

}  // namespace cuda_on_cpu

template <class F>
cudaError_t cudaFuncSetAttribute(F* kernel, cudaFuncAttribute attribute, int value) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || size_t(value) > cuda_on_cpu::max_dynamic_shared) return cuda_on_cpu::record(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::limits_mutex);
    cuda_on_cpu::limits[(const void*)kernel] = size_t(value);
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
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F*, int threads, size_t shared) {
    if (threads <= 0 || threads > 1024) return cuda_on_cpu::record(cudaErrorInvalidValue);
    *blocks = int(cuda_on_cpu::blocks_per_multiprocessor(unsigned(threads), shared));
    return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* threads, F*, size_t = 0, int limit = 0) {
    *threads = limit > 0 && limit < 1024 ? limit : 1024;
    *grid = int(cuda_on_cpu::resident_blocks(unsigned(*threads), 0));
    return cudaSuccess;
}

#pragma GCC visibility pop
