// cudaError_t: CUDA's numbers, names and texts, and the last error of each host thread.
#pragma once

#include "cuda_on_cpu/error_table.h"
#include "cuda_on_cpu/keywords.h"

enum cudaError {
#define CUDA_ON_CPU_ENUMERATOR(name, number, text) name = number,
    CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_ENUMERATOR)
#undef CUDA_ON_CPU_ENUMERATOR
};
using cudaError_t = cudaError;

#pragma GCC visibility push(hidden)

inline const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define CUDA_ON_CPU_CASE(name, number, text) \
    case name:                               \
        return text;
        CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_CASE)
#undef CUDA_ON_CPU_CASE
    }
    return "unrecognized error code";
}

inline const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define CUDA_ON_CPU_CASE(name, number, text) \
    case name:                               \
        return #name;
        CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_CASE)
#undef CUDA_ON_CPU_CASE
    }
    return "unrecognized error code";
}

namespace cuda_on_cpu {

inline thread_local bool in_kernel = false;  // true while this host thread runs a kernel
inline thread_local cudaError_t last_error = cudaSuccess;

// Every function of the API returns through here, as CUDA's do: a success does not clear an earlier error.
inline cudaError_t record(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
}

// An error inside a kernel. Both cudaGetLastError() and the next call that waits for the device report it, and
// whichever comes first takes it off. (On a GPU it stays, every later call reports it, and no kernel runs any more.)
inline thread_local cudaError_t kernel_error = cudaSuccess;

inline cudaError_t synchronize() {
    const cudaError_t error = kernel_error;
    kernel_error = cudaSuccess;
    return record(error);
}

// Of a clock that only goes forward. (<chrono> would be a tenth of the time that a small .cu takes the compiler.)
inline int64_t nanoseconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * int64_t(1000000000) + now.tv_nsec;
}

// What is noted down of some addresses, the newest first. (std::map takes the compiler as long as all of a small .cu.)
template <class T>
struct AddressTable {
    struct Entry {
        const void* address;
        T value;
        Entry* next;
    };
    Entry* first = nullptr;

    Entry** place(const void* address) {  // where the pointer to the entry is, or will be
        Entry** e = &first;
        while (*e && (*e)->address != address) e = &(*e)->next;
        return e;
    }
    T* find(const void* address) {
        Entry* e = *place(address);
        return e ? &e->value : nullptr;
    }
    bool set(const void* address, const T& value) {  // says whether it is new
        T* old = find(address);
        if (old)
            *old = value;
        else
            first = new Entry{address, value, first};
        return !old;
    }
    bool erase(const void* address) {  // says whether it was there
        Entry** e = place(address);
        Entry* old = *e;
        if (old) *e = old->next;
        delete old;
        return old != nullptr;
    }
};

}  // namespace cuda_on_cpu

inline cudaError_t cudaPeekAtLastError() {
    cuda_on_cpu::asked();
    return cuda_on_cpu::last_error;
}

inline cudaError_t cudaGetLastError() {
    cuda_on_cpu::asked();
    const cudaError_t error = cuda_on_cpu::last_error;
    cuda_on_cpu::last_error = cuda_on_cpu::kernel_error = cudaSuccess;
    return error;
}

#pragma GCC visibility pop
