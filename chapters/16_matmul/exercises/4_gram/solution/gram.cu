// gram.cu: the Gram matrix a.T @ a of a matrix: the products of each two of its columns.
#include "gram.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int side = 64, depth = 16;   // a block has side x side results; its tiles take depth elements along k
constexpr int results = 4, step = 16;  // a thread has 4 x 4 results, a block 16 x 16 threads

__global__ void gram_kernel(float* out, const float* a, int64_t k, int64_t n) {
    // your code
    const int64_t top = int64_t(blockIdx.y) * side, left = int64_t(blockIdx.x) * side;
    if (left > top) return;  // above the diagonal, out mirrors what is below
    __shared__ float rows[depth][side], columns[depth][side];
    const int x = int(threadIdx.x), y = int(threadIdx.y);
    float sums[results][results] = {};
    for (int64_t first = 0; first < k; first += depth) {
        for (int i = y * step + x; i < depth * side; i += step * step) {
            const int64_t l = first + i / side, row = top + i % side, column = left + i % side;
            rows[i / side][i % side] = l < k && row < n ? a[l * n + row] : 0;
            columns[i / side][i % side] = l < k && column < n ? a[l * n + column] : 0;
        }
        __syncthreads();  // the tiles are complete
        for (int l = 0; l < depth; l++) {
            float of_row[results], of_column[results];
            for (int i = 0; i < results; i++)
                of_row[i] = rows[l][y + i * step], of_column[i] = columns[l][x + i * step];
            for (int i = 0; i < results; i++)
                for (int j = 0; j < results; j++) sums[i][j] += of_row[i] * of_column[j];
        }
        __syncthreads();  // nobody needs them any more
    }
    for (int i = 0; i < results; i++)
        for (int j = 0; j < results; j++) {
            const int64_t row = top + y + i * step, column = left + x + j * step;
            if (row >= n || column >= n) continue;
            out[row * n + column] = sums[i][j];
            if (left < top) out[column * n + row] = sums[i][j];
        }
    // end of your code
}

void launch_gram(float* out, const float* a, int64_t k, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    gram_kernel<<<dim3(blocks_for(n, side), blocks_for(n, side)), dim3(step, step), 0, stream>>>(out, a, k, n);
    CHECK_LAUNCH();
}
