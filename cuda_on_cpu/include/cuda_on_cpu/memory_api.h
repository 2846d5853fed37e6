// Memory: allocation, and what is known about a pointer. All of it is the host's, so a pointer means the same
// everywhere.
#pragma once

#include "cuda_on_cpu/stream.h"

enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged,
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy,
};
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum {
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4,
    cudaHostRegisterReadOnly = 8,
};
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };

struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
struct cudaExtent {
    size_t width, height, depth;  // bytes, rows, planes
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void* ptr;
    size_t pitch, xsize, ysize;
};
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t x, size_t y) { return {p, pitch, x, y}; }

#pragma GCC visibility push(hidden)

// ---- allocation ----------------------------------------------------------------------------------------------------

namespace cuda_on_cpu {

struct Allocation {
    size_t bytes;
    cudaMemoryType type;
    bool by_kernel = false;
};
inline std::mutex allocations_mutex;
inline AddressTable<Allocation> allocations;
inline AddressTable<Allocation> registered;  // what cudaHostRegister() was given

inline void* new_memory(size_t bytes, [[maybe_unused]] cudaMemoryType type) {
#ifdef CUDA_ON_CPU_MEMORY_CHECK
    return cuda_on_cpu_recorder::allocate(bytes, type);
#else
    void* pointer;
    return posix_memalign(&pointer, 256, bytes) == 0 ? pointer : nullptr;
#endif
}
inline void free_memory(void* pointer) {
#ifdef CUDA_ON_CPU_MEMORY_CHECK
    CUDA_ON_CPU_REFUSE(free_memory(pointer));
#else
    free(pointer);
#endif
}

// With CUDA_ON_CPU_ALLOCATED=FILE an allocation appends its bytes to that file, and a release appends them with a
// minus. The sum was never freed, by whatever libraries and programs have run (grader/exercises.py).
inline void note_allocated(const char* sign, size_t bytes) {
    const char* path = getenv("CUDA_ON_CPU_ALLOCATED");
    FILE* file = path ? fopen(path, "a") : nullptr;
    if (!file) return;
    fprintf(file, "%s%zu\n", sign, bytes);
    fclose(file);
}

inline cudaError_t allocate_now(void** pointer, size_t bytes, cudaMemoryType type) {
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (bytes > SIZE_MAX / 2 || !(*pointer = new_memory(bytes, type))) return record(cudaErrorMemoryAllocation);
    const std::lock_guard<std::mutex> lock(allocations_mutex);
    allocations.set(*pointer, {bytes, type, in_kernel});
    note_allocated("", bytes);
    return cudaSuccess;
}

inline cudaError_t allocate(void** pointer, size_t bytes, cudaMemoryType type) {
    if (!pointer) return record(cudaErrorInvalidValue);
    if (const cudaError_t error = refuse_unsafe_in_capture()) return error;
    return allocate_now(pointer, bytes, type);
}

// A kernel cannot release what the host has allocated. Arguments with a destructor rely on that: each thread has a
// copy.
inline cudaError_t release(void* pointer) {
    if (!pointer) return cudaSuccess;
    {
        const std::lock_guard<std::mutex> lock(allocations_mutex);
        const Allocation* found = allocations.find(pointer);
        if (in_kernel && !(found && found->by_kernel)) return cudaErrorInvalidValue;
        if (!found) {
            CUDA_ON_CPU_REFUSE(free_memory(pointer));  // says which mistake it is
            return record(cudaErrorInvalidValue);
        }
        note_allocated("-", found->bytes);
        allocations.erase(pointer);
    }
    free_memory(pointer);
    return cudaSuccess;
}

}  // namespace cuda_on_cpu

inline cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    return cuda_on_cpu::allocate(pointer, bytes, cudaMemoryTypeDevice);
}
inline cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
    return cuda_on_cpu::allocate(pointer, bytes, cudaMemoryTypeHost);
}
inline cudaError_t cudaMallocHost(void** pointer, size_t bytes, unsigned flags = 0) {
    return cudaHostAlloc(pointer, bytes, flags);
}
inline cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned = cudaMemAttachGlobal) {
    return cuda_on_cpu::allocate(pointer, bytes, cudaMemoryTypeManaged);
}
inline cudaError_t cudaFree(void* pointer) {
    if (const cudaError_t error = cuda_on_cpu::refuse_unsafe_in_capture()) return error;
    return cuda_on_cpu::release(pointer);
}
inline cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }

// In a capture the memory is there at once, and stays: the graph's launches all use the same.
inline cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    if (!pointer) return cuda_on_cpu::record(cudaErrorInvalidValue);
    if (const cudaError_t error = cuda_on_cpu::allocate_now(pointer, bytes, cudaMemoryTypeDevice)) return error;
    return cuda_on_cpu::enqueue(stream, cudaGraphNodeTypeMemAlloc, [] { return cudaSuccess; });
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    if (!cuda_on_cpu::capturing) return cuda_on_cpu::release(pointer);
    return cuda_on_cpu::enqueue(stream, cudaGraphNodeTypeMemFree, [] { return cudaSuccess; });
}

// The same for T**, so that calls need no cast.
template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return cudaMalloc((void**)pointer, bytes);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned flags = 0) {
    return cudaMallocHost((void**)pointer, bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned flags) {
    return cudaHostAlloc((void**)pointer, bytes, flags);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void**)pointer, bytes, flags);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync((void**)pointer, bytes, stream);
}

// Rows begin at multiples of 512 bytes, as on a GPU.
inline cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(pointer, *pitch * height);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
    return cudaMallocPitch((void**)pointer, pitch, width, height);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
    pitched->xsize = extent.width, pitched->ysize = extent.height;
    return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}

inline cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned = 0) {
    if (!pointer || bytes == 0) return cuda_on_cpu::record(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::allocations_mutex);
    CUDA_ON_CPU_RECORD(host_memory(pointer, bytes, true));
    const bool is_new = cuda_on_cpu::registered.set(pointer, {bytes, cudaMemoryTypeHost});
    return cuda_on_cpu::record(is_new ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}
inline cudaError_t cudaHostUnregister(void* pointer) {
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::allocations_mutex);
    CUDA_ON_CPU_RECORD(host_memory(pointer, 0, false));
    const bool was_there = cuda_on_cpu::registered.erase(pointer);
    return cuda_on_cpu::record(was_there ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}
inline cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
    if (!device || !host) return cuda_on_cpu::record(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
    return cudaHostGetDevicePointer((void**)device, host, flags);
}

inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    const std::lock_guard<std::mutex> lock(cuda_on_cpu::allocations_mutex);
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, const_cast<void*>(pointer)};
    cudaMemoryType type = cudaMemoryTypeUnregistered;
    for (const auto* table : {&cuda_on_cpu::allocations, &cuda_on_cpu::registered})
        for (const auto* e = table->first; e; e = e->next)
            if (pointer >= e->address && pointer < static_cast<const char*>(e->address) + e->value.bytes)
                type = e->value.type;
    if (type == cudaMemoryTypeUnregistered) return cudaSuccess;
    void* p = const_cast<void*>(pointer);
    *attributes = {type, 0, p, type == cudaMemoryTypeDevice ? nullptr : p};
    return cudaSuccess;
}

inline cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
    *free_bytes = *total = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
    return cudaSuccess;
}

// Where managed memory is best kept: there is one place only. The last parameter is an int up to CUDA 12.
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t = nullptr) {
    return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T*, size_t = 0, unsigned = cudaMemAttachSingle) {
    return cudaSuccess;
}

// ---- memory pools: the host's heap is the only one -----------------------------------------------------------------

using cudaMemPool_t = struct CUmemPoolHandler_st*;
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
};
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    *pool = reinterpret_cast<cudaMemPool_t>(1);
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return cudaDeviceGetDefaultMemPool(pool, device);
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
    return cudaMallocAsync(pointer, bytes, stream);
}

#pragma GCC visibility pop
