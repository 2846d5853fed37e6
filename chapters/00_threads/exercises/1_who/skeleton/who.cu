// who.cu: each thread writes which one it is.
#include "who.h"

#include "common/cuda_check.h"

__global__ void who_kernel(int* block, int* warp, int* lane) {
    // your code
    // end of your code
}

void launch_who(int* block, int* warp, int* lane, int blocks, int threads, cudaStream_t stream) {
    who_kernel<<<unsigned(blocks), threads, 0, stream>>>(block, warp, lane);
    CHECK_LAUNCH();
}
