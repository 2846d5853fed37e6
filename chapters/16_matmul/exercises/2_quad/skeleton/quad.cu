// quad.cu: the product of two matrices, with tiles of a and b in shared memory.
#include "quad.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int side = 32;  // of each tile, and of the part of the result that a block has

// your code
// A block has 32 x 32 threads, and each has one result.
__global__ void quad_kernel(float* out, const float* a, const float* b, int64_t m, int64_t n, int64_t k) {
    __shared__ float a_tile[side][side], b_tile[side][side];
    const int x = int(threadIdx.x), y = int(threadIdx.y);
    const int64_t top = int64_t(blockIdx.y) * side, left = int64_t(blockIdx.x) * side;
    float sum = 0;
    for (int64_t first = 0; first < k; first += side) {
        a_tile[y][x] = top + y < m && first + x < k ? a[(top + y) * k + first + x] : 0;
        b_tile[y][x] = first + y < k && left + x < n ? b[(first + y) * n + left + x] : 0;
        __syncthreads();  // the tiles are complete
        for (int l = 0; l < side; l++) sum += a_tile[y][l] * b_tile[l][x];
        __syncthreads();  // nobody needs them any more
    }
    if (top + y < m && left + x < n) out[(top + y) * n + left + x] = sum;
}

void launch_quad(float* out, const float* a, const float* b, int64_t m, int64_t n, int64_t k, cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    const dim3 grid(blocks_for(n, side), blocks_for(m, side));
    quad_kernel<<<grid, dim3(side, side), 0, stream>>>(out, a, b, m, n, k);
    CHECK_LAUNCH();
}
// end of your code
