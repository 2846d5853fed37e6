// outer.cu: the products of all elements of x and of y.
#include "outer.h"

#include "common/cuda_check.h"
#include "common/grid.h"

__global__ void outer_kernel(float* out, const float* x, const float* y, int64_t m, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < m * n) out[i] = x[i / n] * y[i % n];
}

void launch_outer(float* out, const float* x, const float* y, int64_t m, int64_t n, cudaStream_t stream) {
    if (m * n == 0) return;
    outer_kernel<<<blocks_for(m * n, 256), 256, 0, stream>>>(out, x, y, m, n);
    CHECK_LAUNCH();
}
