// maximum.cu: the largest element of an array, by all blocks in one kernel.
#include "maximum.h"

#include <cmath>

#include "common/cuda_check.h"

constexpr int threads = 64;

// As in the lesson: whether this block is the last one to call this.
__device__ bool is_last_block(unsigned* ticket) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

// your code
__global__ void maximum_kernel(float* out, const float* x, int64_t n, float* partial, unsigned* ticket) {}
// end of your code

void launch_maximum(float* out, const float* x, int64_t n, float* partial, unsigned* ticket, int blocks,
                    cudaStream_t stream) {
    maximum_kernel<<<blocks, threads, 0, stream>>>(out, x, n, partial, ticket);
    CHECK_LAUNCH();
}
