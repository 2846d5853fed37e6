// add2.cu: the kernel and its launcher. No torch header in here: nvcc reads this file in a second, and with
// torch/extension.h it would take half a minute or more (run `make chapter03 ARGS=--build-times` to see it).
#include "add2.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

// One thread adds one element, then jumps ahead by the size of the whole grid until the array ends: a grid-stride loop.
// It is right for every n and every grid. The indices are 64 bits wide: a tensor may have more than 2^31 elements.
__global__ void add2_kernel(float* c, const float* a, const float* b, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) c[i] = a[i] + b[i];
}

void launch_add2(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int threads = 256;
    const unsigned blocks = std::min(blocks_for(n, threads), 1u << 20);
    add2_kernel<<<blocks, threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}
