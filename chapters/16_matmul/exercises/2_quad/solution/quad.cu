// quad.cu: the product of two matrices, with tiles of a and b in shared memory.
#include "quad.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int side = 32;  // of each tile, and of the part of the result that a block has

// your code
constexpr int results = 4, step = side / results;  // a thread has rows y, y + step, y + 2 * step and y + 3 * step

// A block has 32 x 8 threads.
__global__ void quad_kernel(float* out, const float* a, const float* b, int64_t m, int64_t n, int64_t k) {
    __shared__ float a_tile[side][side], b_tile[side][side];
    const int x = int(threadIdx.x), y = int(threadIdx.y);
    const int64_t top = int64_t(blockIdx.y) * side, left = int64_t(blockIdx.x) * side;
    float sums[results] = {};
    for (int64_t first = 0; first < k; first += side) {
        for (int r = y; r < side; r += step) {
            a_tile[r][x] = top + r < m && first + x < k ? a[(top + r) * k + first + x] : 0;
            b_tile[r][x] = first + r < k && left + x < n ? b[(first + r) * n + left + x] : 0;
        }
        __syncthreads();  // the tiles are complete
        for (int l = 0; l < side; l++) {
            const float of_b = b_tile[l][x];  // for four products
            for (int i = 0; i < results; i++) sums[i] += a_tile[y + i * step][l] * of_b;
        }
        __syncthreads();  // nobody needs them any more
    }
    for (int i = 0; i < results; i++) {
        const int64_t row = top + y + i * step;
        if (row < m && left + x < n) out[row * n + left + x] = sums[i];
    }
}

void launch_quad(float* out, const float* a, const float* b, int64_t m, int64_t n, int64_t k, cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    const dim3 grid(blocks_for(n, side), blocks_for(m, side));
    quad_kernel<<<grid, dim3(side, step), 0, stream>>>(out, a, b, m, n, k);
    CHECK_LAUNCH();
}
// end of your code
