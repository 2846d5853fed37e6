// in_step.cu: the sums of 256 elements each, by a tree. Its last levels are as they were written before 2017.
#include "in_step.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int threads = 256;

__global__ void in_step_kernel(float* sums, const float* x) {
    __shared__ float part[threads];
    const int t = int(threadIdx.x);
    part[t] = x[int64_t(blockIdx.x) * threads + t];
    __syncthreads();
    for (int half = threads / 2; half > 32; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    // your code
    if (t < 32) {  // one warp is left: the lanes exchange registers
        float sum = part[t] + part[t + 32];
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
        if (t == 0) sums[blockIdx.x] = sum;
    }
    // end of your code
}

void launch_in_step(float* sums, const float* x, int64_t blocks, cudaStream_t stream) {
    if (blocks == 0) return;
    in_step_kernel<<<blocks_for(blocks, 1), threads, 0, stream>>>(sums, x);
    CHECK_LAUNCH();
}
