// scaling_kernel.cu: a vector times a number.
#include "scaling.h"

#include "common/cuda_check.h"
#include "common/grid.h"

__global__ void scale_kernel(float* out, const float* in, float factor, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
}

void launch_scale(float* out, const float* in, float factor, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    scale_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(out, in, factor, n);
    CHECK_LAUNCH();
}
