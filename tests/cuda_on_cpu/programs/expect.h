// For the programs in this folder. All but those in cpu_only/ compile with nvcc too, and do the same on a GPU.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

inline int failures = 0;

#define EXPECT(...)                                                               \
    do {                                                                          \
        if (!(__VA_ARGS__)) {                                                     \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
            failures++;                                                           \
        }                                                                         \
    } while (0)

// Waits for the GPU; fails if a launch was refused or a kernel has crashed.
#define EXPECT_DONE()                                   \
    do {                                                \
        EXPECT(cudaGetLastError() == cudaSuccess);      \
        EXPECT(cudaDeviceSynchronize() == cudaSuccess); \
    } while (0)

// Memory that host and device see, all zero.
template <class T>
T* device_array(size_t n) {
    T* p = nullptr;
    EXPECT(cudaMallocManaged(&p, n * sizeof(T)) == cudaSuccess);
    EXPECT(cudaMemset(p, 0, n * sizeof(T)) == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    return p;
}

inline int report() {
    if (failures == 0) std::puts("ok");
    return failures != 0;
}
