// gram.cu: the Gram matrix a.T @ a of a matrix: the products of each two of its columns.
#include "gram.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int side = 64, depth = 16;   // a block has side x side results; its tiles take depth elements along k
constexpr int results = 4, step = 16;  // a thread has 4 x 4 results, a block 16 x 16 threads

__global__ void gram_kernel(float* out, const float* a, int64_t k, int64_t n) {
    // your code
    // end of your code
}

void launch_gram(float* out, const float* a, int64_t k, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    gram_kernel<<<dim3(blocks_for(n, side), blocks_for(n, side)), dim3(step, step), 0, stream>>>(out, a, k, n);
    CHECK_LAUNCH();
}
