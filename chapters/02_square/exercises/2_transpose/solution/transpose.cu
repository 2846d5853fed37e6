// transpose.cu: rows become columns.
#include "transpose.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// your code
constexpr int tile = 16;

__global__ void transpose_kernel(float* result, const float* matrix, int64_t height, int64_t width) {
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row < height && column < width) result[column * height + row] = matrix[row * width + column];
}

void launch_transpose(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    const dim3 block(tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile));
    transpose_kernel<<<grid, block, 0, stream>>>(result, matrix, height, width);
    CHECK_LAUNCH();
}
// end of your code
