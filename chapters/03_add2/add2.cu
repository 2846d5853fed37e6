// add2.cu: the kernel and its launcher. It includes no torch header, so nvcc compiles it in a second or two. With
// torch/extension.h it would take half a minute (`make chapter03 ARGS=--build-times` measures both).
#include "add2.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

// A grid-stride loop: a thread adds one element, then moves on by the number of threads in the grid, until the array
// ends. So any grid adds any n. The indices have 64 bits, because a tensor may have more than 2^31 elements. nvcc
// would unroll the loop by four, and divide before the first load to find out how often: `unroll 1` forbids it.
__global__ void add2_kernel(float* c, const float* a, const float* b, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
#pragma unroll 1
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) c[i] = a[i] + b[i];
}

void launch_add2(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int threads = 256;
    const unsigned blocks = std::min(blocks_for(n, threads), 1u << 20);
    add2_kernel<<<blocks, threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}
