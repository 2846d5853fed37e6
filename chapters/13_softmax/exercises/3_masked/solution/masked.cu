// masked.cu: the softmax of each row by the online algorithm, a warp for each row.
#include "masked.h"

#include <cfloat>
#include <cmath>

#include "common/cuda_check.h"
#include "common/grid.h"

__device__ float warp_max(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, apart));
    return value;
}

__device__ float warp_sum(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

__global__ void masked_kernel(float* out, const float* x, int64_t n) {
    out += blockIdx.x * n, x += blockIdx.x * n;
    // your code
    float max = -FLT_MAX, sum = 0;  // -infinity - -infinity would be NaN
    for (int64_t i = threadIdx.x; i < n; i += 32) {
        const float before = max;
        max = fmaxf(max, x[i]);
        sum = sum * expf(before - max) + expf(x[i] - max);
    }
    const float of_row = warp_max(max);
    sum = warp_sum(sum * expf(max - of_row));
    for (int64_t i = threadIdx.x; i < n; i += 32) out[i] = expf(x[i] - of_row) / sum;
    // end of your code
}

void launch_masked(float* out, const float* x, int64_t rows, int64_t n, cudaStream_t stream) {
    if (rows == 0) return;
    masked_kernel<<<blocks_for(rows, 1), 32, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}
