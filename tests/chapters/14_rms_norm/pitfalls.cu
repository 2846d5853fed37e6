// pitfalls.cu: kernels with one mistake each, and one without. test_rms_norm.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include <cuda_fp16.h>

#include "common/cuda_check.h"

// A float16 holds numbers up to 65504: the square of 256 is larger already.
__global__ void half_squares_kernel(float* out, const float* x, int n) {
    __half sum = __float2half(0);
    for (int i = 0; i < n; i++) {
        const __half value = __float2half(x[i]);
        sum = __hadd(sum, __hmul(value, value));
    }
    *out = sqrtf(__half2float(sum) / float(n));
}

// Blocks add in the order in which they come, and float addition depends on the order.
__global__ void atomic_columns_kernel(float* out, const float* x, int n) {
    const int row = int(blockIdx.x);
    if (row < n) atomicAdd(out + threadIdx.x, x[row * 32 + threadIdx.x]);
}

__global__ void ordered_columns_kernel(float* out, const float* x, int n) {
    float sum = 0;
    for (int row = 0; row < n; row++) sum += x[row * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}

void half_squares(float* out, const float* x, int n, cudaStream_t stream) {
    half_squares_kernel<<<1, 1, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

void atomic_columns(float* out, const float* x, int n, cudaStream_t stream) {
    CHECK_CUDA(cudaMemsetAsync(out, 0, 32 * sizeof(float), stream));
    atomic_columns_kernel<<<n, 32, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

void ordered_columns(float* out, const float* x, int n, cudaStream_t stream) {
    ordered_columns_kernel<<<1, 32, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}
