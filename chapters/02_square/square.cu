// square.cu: two kernels that square a matrix. They differ in what x and y count. Each stands directly above its
// launcher. load_inline() calls this text cuda_sources, and writes it to a file cuda.cu.
#include "square.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int tile = 16;  // threads of a block along each side: 16 x 16 = 256

// x counts the columns, y the rows: a warp reads 16 neighbouring floats in each of two rows. The loop is for matrices
// with more rows than one grid covers, because CUDA allows 2^31 - 1 blocks along x, but only 65535 along y. A thread
// then goes on with the row one whole grid further down.
__global__ void square_matrix_kernel(float* result, const float* matrix, int64_t height, int64_t width) {
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= width) return;
    const int64_t first_row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
#pragma unroll 1  // chapter 03 explains this line
    for (int64_t row = first_row; row < height; row += int64_t(gridDim.y) * blockDim.y) {
        const float value = matrix[row * width + column];
        result[row * width + column] = value * value;
    }
}

void launch_square_matrix(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream) {
    if (height == 0 || width == 0) return;  // CUDA refuses a grid of 0 blocks
    const dim3 block(tile, tile);
    const dim3 grid(blocks_for(width, tile), std::min(blocks_for(height, tile), 65535u));
    square_matrix_kernel<<<grid, block, 0, stream>>>(result, matrix, height, width);
    CHECK_LAUNCH();
}

// x and y exchanged: x counts the rows, y the columns. The result is the same, the time is not. A warp now reads two
// floats in each of 16 rows.
__global__ void square_by_columns_kernel(float* result, const float* matrix, int64_t height, int64_t width) {
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= height) return;
    const int64_t first_column = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
#pragma unroll 1
    for (int64_t column = first_column; column < width; column += int64_t(gridDim.y) * blockDim.y) {
        const float value = matrix[row * width + column];
        result[row * width + column] = value * value;
    }
}

void launch_square_by_columns(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    const dim3 block(tile, tile);
    const dim3 grid(blocks_for(height, tile), std::min(blocks_for(width, tile), 65535u));
    square_by_columns_kernel<<<grid, block, 0, stream>>>(result, matrix, height, width);
    CHECK_LAUNCH();
}
