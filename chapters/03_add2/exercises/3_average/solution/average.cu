// average.cu: the sum of two vectors, and the averages of neighbours in it.
#include "average.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// your code
__global__ void sum_kernel(float* sum, const float* a, const float* b, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

__global__ void average_kernel(float* out, const float* sum, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (sum[i] + sum[(i + 1) % n]) / 2;
}

void launch_average(float* out, float* sum, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int threads = 256;
    sum_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(sum, a, b, n);
    CHECK_LAUNCH();
    average_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, sum, n);  // after it, as in any stream
    CHECK_LAUNCH();
}
// end of your code
