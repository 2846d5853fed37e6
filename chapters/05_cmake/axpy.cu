// axpy.cu: the kernel and its launcher. It includes no torch header.
#include "axpy.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

// A grid-stride loop, as in chapter 03. fmaf() rounds once, after the sum. nvcc would make an fmaf of alpha * x + y by
// itself, and most compilers for CPUs would not. Because it is written here, the result has the same bits everywhere.
__global__ void axpy_kernel(float* z, float alpha, const float* x, const float* y, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
#pragma unroll 1
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) z[i] = fmaf(alpha, x[i], y[i]);
}

void launch_axpy(float* z, float alpha, const float* x, const float* y, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int threads = 256;
    const unsigned blocks = std::min(blocks_for(n, threads), 1u << 20);
    axpy_kernel<<<blocks, threads, 0, stream>>>(z, alpha, x, y, n);
    CHECK_LAUNCH();
}
