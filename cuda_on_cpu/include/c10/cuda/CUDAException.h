// Stands in for torch's header. An error becomes a c10::Error, which is a RuntimeError in Python.
#pragma once

#include <c10/util/Exception.h>
#include <cuda_runtime.h>

// As torch's own: the error is taken off the list, so that the next call does not report it again.
#define C10_CUDA_CHECK(EXPR)                                                           \
    do {                                                                               \
        const cudaError_t cuda_on_cpu_error = EXPR;                                    \
        if (cuda_on_cpu_error != cudaSuccess) {                                        \
            (void)cudaGetLastError();                                                  \
            TORCH_CHECK(false, "CUDA error: ", cudaGetErrorString(cuda_on_cpu_error)); \
        }                                                                              \
    } while (0)

#define C10_CUDA_CHECK_WARN(EXPR)                                                \
    do {                                                                         \
        const cudaError_t cuda_on_cpu_error = EXPR;                              \
        if (cuda_on_cpu_error != cudaSuccess) {                                  \
            (void)cudaGetLastError();                                            \
            TORCH_WARN("CUDA warning: ", cudaGetErrorString(cuda_on_cpu_error)); \
        }                                                                        \
    } while (0)

#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
