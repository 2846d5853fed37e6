// axpy.cu: a scaled vector plus a vector.
#include "axpy.h"

#include "common/cuda_check.h"
#include "common/grid.h"

__global__ void axpy_kernel(float* out, const float* x, const float* y, float factor, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * x[i] + y[i];
}

void launch_axpy(float* out, const float* x, const float* y, float factor, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    axpy_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(out, x, y, factor, n);
    CHECK_LAUNCH();
}
