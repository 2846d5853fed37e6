// tail.cu: the product of two matrices. A block has 16 x 16 threads, and a thread 4 x 4 results.
#include "tail.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int side = 64, depth = 16;   // a block has side x side results; its tiles take depth elements along k
constexpr int results = 4, step = 16;  // a thread has every 16th row and column

__global__ void tail_kernel(float* out, const float* a, const float* b, int64_t m, int64_t n, int64_t k) {
    __shared__ float a_tile[side][depth], b_tile[depth][side];
    const int x = int(threadIdx.x), y = int(threadIdx.y), thread = y * step + x;
    const int64_t top = int64_t(blockIdx.y) * side, left = int64_t(blockIdx.x) * side;
    float sums[results][results] = {};
    for (int64_t first = 0; first < k; first += depth) {
        for (int i = thread; i < side * depth; i += step * step) {
            // A row of a or a column of b past the edge is replaced by the last one, so that no load is out of bounds.
            // your code
            const int64_t row_of_a = min(top + i / depth, m - 1), column_of_a = min(first + i % depth, k - 1);
            const int64_t row_of_b = min(first + i / side, k - 1), column_of_b = min(left + i % side, n - 1);
            a_tile[i / depth][i % depth] = a[row_of_a * k + column_of_a];
            b_tile[i / side][i % side] = b[row_of_b * n + column_of_b];
            // end of your code
        }
        __syncthreads();  // the tiles are complete
        for (int l = 0; l < depth; l++) {
            float of_a[results], of_b[results];
            for (int i = 0; i < results; i++) of_a[i] = a_tile[y + i * step][l], of_b[i] = b_tile[l][x + i * step];
            for (int i = 0; i < results; i++)
                for (int j = 0; j < results; j++) sums[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();  // nobody needs them any more
    }
    for (int i = 0; i < results; i++)
        for (int j = 0; j < results; j++) {
            const int64_t row = top + y + i * step, column = left + x + j * step;
            if (row < m && column < n) out[row * n + column] = sums[i][j];
        }
}

void launch_tail(float* out, const float* a, const float* b, int64_t m, int64_t n, int64_t k, cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    tail_kernel<<<dim3(blocks_for(n, side), blocks_for(m, side)), dim3(step, step), 0, stream>>>(out, a, b, m, n, k);
    CHECK_LAUNCH();
}
