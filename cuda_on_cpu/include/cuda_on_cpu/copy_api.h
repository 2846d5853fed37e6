// Copies and fills, of rows, planes and symbols as well.
#pragma once

#include "cuda_on_cpu/memory_api.h"

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};
using cudaArray_t = struct cudaArray*;  // for textures, which are lacking
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

inline bool is_kind(cudaMemcpyKind kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

inline cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    if (!is_kind(kind)) return cudaErrorInvalidMemcpyDirection;
    if (bytes == 0) return cudaSuccess;
    if (!to || !from) return cudaErrorInvalidValue;
    CUDA_ON_CPU_REFUSE(host_copies(to, from, bytes, kind));
    memmove(to, from, bytes);
    return cudaSuccess;
}

inline cudaError_t copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                           cudaMemcpyKind kind) {
    if (!is_kind(kind)) return cudaErrorInvalidMemcpyDirection;
    if (width == 0 || height == 0) return cudaSuccess;
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    if (!to || !from) return cudaErrorInvalidValue;
    for (size_t y = 0; y < height; y++)
        if (const cudaError_t error = copy(static_cast<char*>(to) + y * to_pitch,
                                           static_cast<const char*>(from) + y * from_pitch, width, kind))
            return error;
    return cudaSuccess;
}

inline cudaError_t copy_3d(const cudaMemcpy3DParms& p) {
    if (p.srcArray || p.dstArray) return cudaErrorNotSupported;
    for (size_t z = 0; z < p.extent.depth; z++) {
        const auto plane = [z](const cudaPitchedPtr& q, cudaPos pos) {
            return static_cast<char*>(q.ptr) + ((pos.z + z) * q.ysize + pos.y) * q.pitch + pos.x;
        };
        if (!p.srcPtr.ptr || !p.dstPtr.ptr) return cudaErrorInvalidValue;
        const cudaError_t error = copy_2d(plane(p.dstPtr, p.dstPos), p.dstPtr.pitch, plane(p.srcPtr, p.srcPos),
                                          p.srcPtr.pitch, p.extent.width, p.extent.height, p.kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

inline cudaError_t set(void* to, size_t pitch, int value, size_t width, size_t height) {
    if (width == 0 || height == 0) return cudaSuccess;
    if (!to) return cudaErrorInvalidValue;
    if (height > 1 && width > pitch) return cudaErrorInvalidValue;
    for (size_t y = 0; y < height; y++) {
        CUDA_ON_CPU_REFUSE(host_sets(static_cast<char*>(to) + y * pitch, width));
        memset(static_cast<char*>(to) + y * pitch, value, width);
    }
    return cudaSuccess;
}

}  // namespace cuda_on_cpu

inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr) {
    return cuda_on_cpu::enqueue(stream, cudaGraphNodeTypeMemcpy,
                                [=] { return cuda_on_cpu::copy(to, from, bytes, kind); });
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    if (const cudaError_t error = cuda_on_cpu::synchronize()) return error;
    return cudaMemcpyAsync(to, from, bytes, kind);
}
inline cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
    return cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                       cudaStream_t stream = nullptr) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return cuda_on_cpu::enqueue(stream, cudaGraphNodeTypeMemcpy, [=] {
        return cuda_on_cpu::copy_2d(to, to_pitch, from, from_pitch, width, height, kind);
    });
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
    if (const cudaError_t error = cuda_on_cpu::synchronize()) return error;
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind);
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream = nullptr) {
    return cuda_on_cpu::enqueue(stream, cudaGraphNodeTypeMemcpy, [p = *p] { return cuda_on_cpu::copy_3d(p); });
}
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return cudaMemcpy3DAsync(p); }

inline cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream = nullptr) {
    return cuda_on_cpu::enqueue(stream, cudaGraphNodeTypeMemset,
                                [=] { return cuda_on_cpu::set(to, pitch, value, width, height); });
}
inline cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return cudaMemset2DAsync(to, pitch, value, width, height);
}
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr) {
    return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) { return cudaMemsetAsync(to, value, bytes); }
inline cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    for (size_t z = 0; z < extent.depth; z++) {
        char* plane = static_cast<char*>(to.ptr) + z * to.ysize * to.pitch;
        if (const cudaError_t error = cudaMemset2D(plane, to.pitch, value, extent.width, extent.height)) return error;
    }
    return cudaSuccess;
}

// A symbol is a __constant__ or __device__ variable.
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr) {
    if (offset > sizeof(T) || bytes > sizeof(T) - offset) return cuda_on_cpu::record(cudaErrorInvalidValue);
    return cudaMemcpyAsync((char*)&symbol + offset, from, bytes, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
    if (offset > sizeof(T) || bytes > sizeof(T) - offset) return cuda_on_cpu::record(cudaErrorInvalidValue);
    return cudaMemcpyAsync(to, (const char*)&symbol + offset, bytes, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
    *pointer = (void*)&symbol;
    return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
    *bytes = sizeof(T);
    return cudaSuccess;
}

#pragma GCC visibility pop
