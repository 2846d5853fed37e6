// What the host calls. There is one device, its memory is the host's, and everything is done when a call returns:
// streams and events exist so that programs compile and their bookkeeping is right.
#pragma once

#include "cuda_on_cpu/error.h"

struct CUstream_st {};
struct CUevent_st {
    std::chrono::steady_clock::time_point time;
    bool recorded = false;
};
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;
using cudaHostFn_t = void (*)(void*);

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

constexpr size_t static_shared = 48 * 1024;        // what every kernel may use
constexpr size_t max_dynamic_shared = 227 * 1024;  // what a kernel may ask for with cudaFuncSetAttribute()
constexpr unsigned multiprocessors = 8;            // so a cluster of 8 blocks fits, however large they are

}  // namespace cuda_on_cpu

// ---- memory --------------------------------------------------------------------------------------------------------

inline cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    *pointer = nullptr;
    if (bytes > 0 && (bytes > SIZE_MAX / 2 || posix_memalign(pointer, 256, bytes) != 0))
        return cuda_on_cpu::record(cudaErrorMemoryAllocation);
    return cudaSuccess;
}
inline cudaError_t cudaFree(void* pointer) {
    free(pointer);
    return cudaSuccess;
}
inline cudaError_t cudaMallocHost(void** pointer, size_t bytes, unsigned = 0) { return cudaMalloc(pointer, bytes); }
inline cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) { return cudaMalloc(pointer, bytes); }
inline cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned = 1) { return cudaMalloc(pointer, bytes); }
inline cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }
inline cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }

// The same for T**, so that calls need no cast.
template <class T>
cudaError_t cudaMalloc(T** p, size_t bytes) {
    return cudaMalloc((void**)p, bytes);
}
template <class T>
cudaError_t cudaMallocHost(T** p, size_t bytes, unsigned = 0) {
    return cudaMalloc((void**)p, bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T** p, size_t bytes, unsigned) {
    return cudaMalloc((void**)p, bytes);
}
template <class T>
cudaError_t cudaMallocManaged(T** p, size_t bytes, unsigned = 1) {
    return cudaMalloc((void**)p, bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T** p, size_t bytes, cudaStream_t) {
    return cudaMalloc((void**)p, bytes);
}

inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cuda_on_cpu::record(cudaErrorInvalidMemcpyDirection);
    if (const cudaError_t error = cuda_on_cpu::synchronize()) return error;
    if (bytes == 0) return cudaSuccess;
    if (!to || !from) return cuda_on_cpu::record(cudaErrorInvalidValue);
    memmove(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr) {
    return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    if (bytes == 0) return cudaSuccess;
    if (!to) return cuda_on_cpu::record(cudaErrorInvalidValue);
    memset(to, value, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = nullptr) {
    return cudaMemset(to, value, bytes);
}
inline cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
    *free_bytes = *total = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
    return cudaSuccess;
}

// A symbol is a __constant__ or __device__ variable.
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
    if (offset > sizeof(T) || bytes > sizeof(T) - offset) return cuda_on_cpu::record(cudaErrorInvalidValue);
    memcpy((char*)&symbol + offset, from, bytes);
    return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
    if (offset > sizeof(T) || bytes > sizeof(T) - offset) return cuda_on_cpu::record(cudaErrorInvalidValue);
    memcpy(to, (const char*)&symbol + offset, bytes);
    return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t = nullptr) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
    *pointer = (void*)&symbol;
    return cudaSuccess;
}

// ---- streams and events --------------------------------------------------------------------------------------------

inline cudaError_t cudaDeviceSynchronize() { return cuda_on_cpu::synchronize(); }
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    *stream = new CUstream_st;
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return cudaStreamCreate(stream); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
    return cudaStreamCreate(stream);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    delete stream;
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cuda_on_cpu::synchronize(); }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return cudaSuccess; }
inline cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    function(data);
    return cudaSuccess;
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new CUevent_st;
    return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event) return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr) {
    if (!event) return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    event->time = std::chrono::steady_clock::now();
    event->recorded = true;
    return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cuda_on_cpu::synchronize(); }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!start || !end || !start->recorded || !end->recorded)
        return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return cudaSuccess;
}

#pragma GCC visibility pop

#include "cuda_on_cpu/device_api.h"
