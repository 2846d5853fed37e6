// pitfalls.cu: kernels with one mistake each. test_softmax.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include <cmath>

#include "common/cuda_check.h"

__device__ float sum_of_warp(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

// The sums of 4 rows. A second barrier is missing: a warp that is ahead writes its part of the next row while another
// still reads the parts of this one.
__global__ void one_barrier_kernel(float* sums, const float* x, int n) {
    __shared__ float parts[32];
    for (int row = 0; row < 4; row++) {
        float sum = 0;
        for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) sum += x[row * n + i];
        sum = sum_of_warp(sum);
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
        __syncthreads();
        float all = 0;
        for (int warp = 0; warp < int(blockDim.x) / 32; warp++) all += parts[warp];
        if (threadIdx.x == 0) sums[row] = all;
    }
}

// The softmax of a row by a warp. without_max: exp(x) itself. from_infinity: a lane's maximum begins at -infinity, and
// its sum is brought from there to the row's maximum.
template <bool without_max>
__global__ void softmax_kernel(float* out, const float* x, int n) {
    float max = without_max ? 0 : -INFINITY, sum = 0;
    for (int i = int(threadIdx.x); !without_max && i < n; i += 32) max = fmaxf(max, x[i]);
    for (int i = int(threadIdx.x); i < n; i += 32) sum += expf(x[i] - max);
    float largest = max;
    for (int apart = 16; apart > 0; apart /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, apart));
    sum = sum_of_warp(sum * expf(max - largest));
    for (int i = int(threadIdx.x); i < n; i += 32) out[i] = expf(x[i] - largest) / sum;
}

void one_barrier(float* out, const float* x, int n, cudaStream_t stream) {
    one_barrier_kernel<<<1, 256, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

void without_max(float* out, const float* x, int n, cudaStream_t stream) {
    softmax_kernel<true><<<1, 32, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

void from_infinity(float* out, const float* x, int n, cudaStream_t stream) {
    softmax_kernel<false><<<1, 32, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}
