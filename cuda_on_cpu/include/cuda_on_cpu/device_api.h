// What the host asks about the device. The figures are those of a common GPU.
#pragma once

#include "cuda_on_cpu/memory_api.h"

struct cudaUUID_t {
    char bytes[16];
};

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory;
    int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    // Up to CUDA 12; textbooks print them.
    int clockRate, memoryClockRate, deviceOverlap, computeMode, kernelExecTimeoutEnabled;
    int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};

// Attributes of the device: name, number, and the field of cudaDeviceProp.
#define CUDA_ON_CPU_ATTRIBUTES(X)                                                                     \
    X(cudaDevAttrMaxThreadsPerBlock, 1, maxThreadsPerBlock)                                           \
    X(cudaDevAttrMaxBlockDimX, 2, maxThreadsDim[0])                                                   \
    X(cudaDevAttrMaxBlockDimY, 3, maxThreadsDim[1])                                                   \
    X(cudaDevAttrMaxBlockDimZ, 4, maxThreadsDim[2])                                                   \
    X(cudaDevAttrMaxGridDimX, 5, maxGridSize[0])                                                      \
    X(cudaDevAttrMaxGridDimY, 6, maxGridSize[1])                                                      \
    X(cudaDevAttrMaxGridDimZ, 7, maxGridSize[2])                                                      \
    X(cudaDevAttrMaxSharedMemoryPerBlock, 8, sharedMemPerBlock)                                       \
    X(cudaDevAttrTotalConstantMemory, 9, totalConstMem)                                               \
    X(cudaDevAttrWarpSize, 10, warpSize)                                                              \
    X(cudaDevAttrMaxPitch, 11, memPitch)                                                              \
    X(cudaDevAttrMaxRegistersPerBlock, 12, regsPerBlock)                                              \
    X(cudaDevAttrClockRate, 13, clockRate)                                                            \
    X(cudaDevAttrTextureAlignment, 14, textureAlignment)                                              \
    X(cudaDevAttrGpuOverlap, 15, deviceOverlap)                                                       \
    X(cudaDevAttrMultiProcessorCount, 16, multiProcessorCount)                                        \
    X(cudaDevAttrKernelExecTimeout, 17, kernelExecTimeoutEnabled)                                     \
    X(cudaDevAttrIntegrated, 18, integrated)                                                          \
    X(cudaDevAttrCanMapHostMemory, 19, canMapHostMemory)                                              \
    X(cudaDevAttrComputeMode, 20, computeMode)                                                        \
    X(cudaDevAttrConcurrentKernels, 31, concurrentKernels)                                            \
    X(cudaDevAttrEccEnabled, 32, ECCEnabled)                                                          \
    X(cudaDevAttrPciBusId, 33, pciBusID)                                                              \
    X(cudaDevAttrPciDeviceId, 34, pciDeviceID)                                                        \
    X(cudaDevAttrTccDriver, 35, tccDriver)                                                            \
    X(cudaDevAttrMemoryClockRate, 36, memoryClockRate)                                                \
    X(cudaDevAttrGlobalMemoryBusWidth, 37, memoryBusWidth)                                            \
    X(cudaDevAttrL2CacheSize, 38, l2CacheSize)                                                        \
    X(cudaDevAttrMaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor)                        \
    X(cudaDevAttrAsyncEngineCount, 40, asyncEngineCount)                                              \
    X(cudaDevAttrUnifiedAddressing, 41, unifiedAddressing)                                            \
    X(cudaDevAttrPciDomainId, 50, pciDomainID)                                                        \
    X(cudaDevAttrComputeCapabilityMajor, 75, major)                                                   \
    X(cudaDevAttrComputeCapabilityMinor, 76, minor)                                                   \
    X(cudaDevAttrStreamPrioritiesSupported, 78, streamPrioritiesSupported)                            \
    X(cudaDevAttrGlobalL1CacheSupported, 79, globalL1CacheSupported)                                  \
    X(cudaDevAttrLocalL1CacheSupported, 80, localL1CacheSupported)                                    \
    X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor)                    \
    X(cudaDevAttrMaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor)                            \
    X(cudaDevAttrManagedMemory, 83, managedMemory)                                                    \
    X(cudaDevAttrIsMultiGpuBoard, 84, isMultiGpuBoard)                                                \
    X(cudaDevAttrMultiGpuBoardGroupID, 85, multiGpuBoardGroupID)                                      \
    X(cudaDevAttrHostNativeAtomicSupported, 86, hostNativeAtomicSupported)                            \
    X(cudaDevAttrSingleToDoublePrecisionPerfRatio, 87, singleToDoublePrecisionPerfRatio)              \
    X(cudaDevAttrPageableMemoryAccess, 88, pageableMemoryAccess)                                      \
    X(cudaDevAttrConcurrentManagedAccess, 89, concurrentManagedAccess)                                \
    X(cudaDevAttrComputePreemptionSupported, 90, computePreemptionSupported)                          \
    X(cudaDevAttrCanUseHostPointerForRegisteredMem, 91, canUseHostPointerForRegisteredMem)            \
    X(cudaDevAttrCooperativeLaunch, 95, cooperativeLaunch)                                            \
    X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin)                            \
    X(cudaDevAttrHostRegisterSupported, 99, hostRegisterSupported)                                    \
    X(cudaDevAttrPageableMemoryAccessUsesHostPageTables, 100, pageableMemoryAccessUsesHostPageTables) \
    X(cudaDevAttrDirectManagedMemAccessFromHost, 101, directManagedMemAccessFromHost)                 \
    X(cudaDevAttrMaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor)                         \
    X(cudaDevAttrMaxPersistingL2CacheSize, 108, persistingL2CacheMaxSize)                             \
    X(cudaDevAttrMaxAccessPolicyWindowSize, 109, accessPolicyMaxWindowSize)                           \
    X(cudaDevAttrReservedSharedMemoryPerBlock, 111, reservedSharedMemPerBlock)                        \
    X(cudaDevAttrMemoryPoolsSupported, 115, memoryPoolsSupported)                                     \
    X(cudaDevAttrMemoryPoolSupportedHandleTypes, 119, memoryPoolSupportedHandleTypes)                 \
    X(cudaDevAttrClusterLaunch, 120, clusterLaunch)                                                   \
    X(cudaDevAttrIpcEventSupport, 125, ipcEventSupported)

enum cudaDeviceAttr {
#define CUDA_ON_CPU_ENUMERATOR(name, number, field) name = number,
    CUDA_ON_CPU_ATTRIBUTES(CUDA_ON_CPU_ENUMERATOR)
#undef CUDA_ON_CPU_ENUMERATOR
};

enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess,
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual,
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte,
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize,
};
enum {
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceBlockingSync = 4,
    cudaDeviceMapHost = 8,
    cudaDeviceLmemResizeToMax = 16,
};
enum { cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1, cudaPeerAccessDefault = 0 };

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

constexpr size_t static_shared = 48 * 1024;        // what every kernel may use
constexpr size_t max_dynamic_shared = 227 * 1024;  // what a kernel may ask for with cudaFuncSetAttribute()
constexpr unsigned multiprocessors = 8;            // so a cluster of 8 blocks fits, however large they are

}  // namespace cuda_on_cpu

inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
    const bool exists = device == 0 || device == -1;  // -1: what x.get_device() gives for a tensor of the CPU
    return cuda_on_cpu::record(exists ? cudaSuccess : cudaErrorInvalidDevice);
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
    p->clockRate = p->memoryClockRate = 0;  // unknown, as for a GPU whose driver hides it
    p->memPitch = INT_MAX, p->textureAlignment = 512, p->texturePitchAlignment = 32,
    p->reservedSharedMemPerBlock = 1024;
    p->integrated = p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->concurrentManagedAccess = 1;
    p->pageableMemoryAccess = p->pageableMemoryAccessUsesHostPageTables = p->hostNativeAtomicSupported = 1;
    p->directManagedMemAccessFromHost = p->canUseHostPointerForRegisteredMem = p->hostRegisterSupported = 1;
    p->streamPrioritiesSupported = p->memoryPoolsSupported = p->computePreemptionSupported = 1;
    p->concurrentKernels = p->asyncEngineCount = p->deviceOverlap = p->cooperativeLaunch = p->clusterLaunch = 1;
    p->persistingL2CacheMaxSize = p->accessPolicyMaxWindowSize = p->l2CacheSize / 2;
    return cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, device) != cudaSuccess) return cudaErrorInvalidDevice;
    switch (attribute) {
#define CUDA_ON_CPU_CASE(name, number, field) \
    case name:                                \
        *value = int(p.field);                \
        return cudaSuccess;
        CUDA_ON_CPU_ATTRIBUTES(CUDA_ON_CPU_CASE)
#undef CUDA_ON_CPU_CASE
    }
    return cuda_on_cpu::record(cudaErrorInvalidValue);
}
inline cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

// Settings that change nothing here.
inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
inline cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

namespace cuda_on_cpu {
inline size_t device_limits[7] = {1024, 1 << 20, 8 << 20};  // by cudaLimit: stack, buffer of printf(), heap
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    if (size_t(limit) >= std::size(cuda_on_cpu::device_limits)) return cuda_on_cpu::record(cudaErrorUnsupportedLimit);
    cuda_on_cpu::device_limits[limit] = value;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    if (size_t(limit) >= std::size(cuda_on_cpu::device_limits)) return cuda_on_cpu::record(cudaErrorUnsupportedLimit);
    *value = cuda_on_cpu::device_limits[limit];
    return cudaSuccess;
}

// There is no other device.
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    *can = 0;
    return cuda_on_cpu::record(device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cuda_on_cpu::record(cudaErrorInvalidDevice); }
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return cuda_on_cpu::record(cudaErrorInvalidDevice); }

#pragma GCC visibility pop
