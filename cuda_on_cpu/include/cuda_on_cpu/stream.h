// Streams, and functions of the host in them. Everything is done when a call returns, so a stream is no more than a
// name, unless it captures a graph.
#pragma once

#include "cuda_on_cpu/capture.h"

#pragma GCC visibility push(hidden)

inline cudaError_t cudaDeviceSynchronize() {
    if (const cudaError_t error = cuda_on_cpu::refuse_device_in_capture()) return error;
    return cuda_on_cpu::synchronize();
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    if (flags > cudaStreamNonBlocking) return cuda_on_cpu::record(cudaErrorInvalidValue);
    *stream = new CUstream_st{flags, std::max(-5, std::min(priority, 0))};
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0, *greatest = -5;
    return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (cuda_on_cpu::is_legacy(stream) || stream == cudaStreamPerThread)
        return cuda_on_cpu::record(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = cuda_on_cpu::refuse_in_capture(stream)) return error;
    delete stream;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    *priority = cuda_on_cpu::is_legacy(stream) || stream == cudaStreamPerThread ? 0 : stream->priority;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    *flags = cuda_on_cpu::is_legacy(stream) || stream == cudaStreamPerThread ? 0 : stream->flags;
    return cudaSuccess;
}
inline cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (const cudaError_t error = cuda_on_cpu::refuse_in_capture(stream)) return error;
    return cuda_on_cpu::synchronize();
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) { return cuda_on_cpu::refuse_in_capture(stream); }

// ---- functions of the host in a stream -----------------------------------------------------------------------------

#define CUDART_CB
using cudaHostFn_t = void (*)(void*);
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);

inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    if (!function) return cuda_on_cpu::record(cudaErrorInvalidValue);
    return cuda_on_cpu::enqueue(stream, cudaGraphNodeTypeHost, [=] {
        function(data);
        return cudaSuccess;
    });
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                         unsigned flags) {
    if (!callback || flags != 0) return cuda_on_cpu::record(cudaErrorInvalidValue);
    if (const cudaError_t error = cuda_on_cpu::refuse_in_capture(stream)) return error;
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}

#pragma GCC visibility pop
