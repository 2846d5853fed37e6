// Included before everything else when clangd reads a .cu: clang knows CUDA's words as attributes, CUDA on CPU has the
// rest.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ static
#include "cuda_on_cpu/keywords.h"  // with the standard headers: their functions are the host's
#include <assert.h>
#include <sys/mman.h>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <__clang_cuda_math_forward_declares.h>  // sqrt() and so on for kernels; sqrtf() and so on follow
#define FLOAT(...) __device__ float __VA_ARGS__
FLOAT(acosf(float), asinf(float), atanf(float), cbrtf(float), ceilf(float), cosf(float), coshf(float), erff(float));
FLOAT(exp2f(float), expf(float), expm1f(float), fabsf(float), floorf(float), log10f(float), log1pf(float),
      log2f(float));
FLOAT(logf(float), roundf(float), rintf(float), sinf(float), sinhf(float), sqrtf(float), tanf(float), tanhf(float));
FLOAT(truncf(float), atan2f(float, float), copysignf(float, float), fmaxf(float, float), fminf(float, float));
FLOAT(fmodf(float, float), hypotf(float, float), powf(float, float), fmaf(float, float, float));
#undef FLOAT
__device__ void __assert_fail(const char* text, const char* file, unsigned line, const char* function);
__device__ int printf(const char* format, ...);

// Every function in here may be called from a kernel, as it may when the .cu is compiled for the CPU.
#pragma clang force_cuda_host_device begin
#include <cuda_runtime.h>
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void* stream = nullptr);  // <<<>>>
#pragma clang force_cuda_host_device end
