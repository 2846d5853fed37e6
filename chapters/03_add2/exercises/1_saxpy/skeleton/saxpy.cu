// saxpy.cu: a scaled vector plus a vector, by a grid of at most two blocks.
#include "saxpy.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

// The threads of the whole grid take the first elements, each one; then the next ones, until the array ends.
__global__ void saxpy_kernel(float* out, const float* x, const float* y, float factor, int64_t n) {
    // your code
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * x[i] + y[i];
    // end of your code
}

void launch_saxpy(float* out, const float* x, const float* y, float factor, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int threads = 256;
    saxpy_kernel<<<std::min(blocks_for(n, threads), 2u), threads, 0, stream>>>(out, x, y, factor, n);
    CHECK_LAUNCH();
}
