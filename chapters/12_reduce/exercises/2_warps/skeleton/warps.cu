// warps.cu: a sum with one atomic addition for each warp.
#include "warps.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int threads = 128;

__global__ void warps_kernel(float* total, const float* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x;
    // your code
    if (i < n) atomicAdd(total, x[i]);
    // end of your code
}

void launch_warps(float* total, const float* x, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    warps_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(total, x, n);
    CHECK_LAUNCH();
}
