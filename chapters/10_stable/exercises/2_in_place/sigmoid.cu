// sigmoid.cu: the sigmoid of a vector, in its place.
#include "sigmoid.h"

#include "common/cuda_check.h"
#include "common/grid.h"

__global__ void sigmoid_kernel(float* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1 / (1 + expf(-x[i]));
}

void launch_sigmoid(float* x, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    sigmoid_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(x, n);
    CHECK_LAUNCH();
}
