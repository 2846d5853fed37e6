// scale.cu: a vector times a number.
#include "scale.h"

#include "common/cuda_check.h"
#include "common/grid.h"

__global__ void scale_kernel(float* x, float factor, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

void launch_scale(float* x, float factor, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    scale_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, factor, n);
    CHECK_LAUNCH();
}
