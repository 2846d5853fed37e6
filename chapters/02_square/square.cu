// square.cu: four kernels, each directly above its launcher. load_inline calls this text cuda_sources.
#include "square.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int tile = 16;      // threads of a 2-D block along each side: 16 x 16 = 256
constexpr int threads = 256;  // threads of a 1-D block

// The grid lies over the matrix: x along a row, y from row to row. Neighbouring threads have neighbouring x, so the 32
// threads of a warp read two runs of 16 floats. CUDA allows 2^31 - 1 blocks along x, but only 65535 along y. So a
// thread goes on with the row that lies one whole grid below, until the matrix ends.
__global__ void square_matrix_kernel(float* result, const float* matrix, int64_t height, int64_t width) {
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= width) return;
    const int64_t first_row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
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

// The same with x and y exchanged: x down a column, y from column to column. Neighbouring threads read neighbouring
// rows, so the 32 threads of a warp read two floats in each of 16 rows. The result is the same, the time is not.
__global__ void square_by_columns_kernel(float* result, const float* matrix, int64_t height, int64_t width) {
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= height) return;
    const int64_t first_column = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
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

__global__ void custom_operation_kernel(float* output, const float* input, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) output[i] = 2 * input[i];
}

void launch_custom_operation(float* output, const float* input, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    custom_operation_kernel<<<std::min(blocks_for(n, threads), 1u << 20), threads, 0, stream>>>(output, input, n);
    CHECK_LAUNCH();
}

__global__ void add_kernel(float* c, const float* a, const float* b, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) c[i] = a[i] + b[i];
}

void launch_add(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    add_kernel<<<std::min(blocks_for(n, threads), 1u << 20), threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}
