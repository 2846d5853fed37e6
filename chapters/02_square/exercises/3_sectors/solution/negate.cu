// negate.cu: the sign of each element of a matrix changes.
#include "negate.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int tile = 16;

// your code
__global__ void negate_kernel(float* result, const float* matrix, int64_t height, int64_t width) {
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row >= height || column >= width) return;
    result[row * width + column] = -matrix[row * width + column];
}

void launch_negate(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    const dim3 block(tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile));
    negate_kernel<<<grid, block, 0, stream>>>(result, matrix, height, width);
    CHECK_LAUNCH();
}
// end of your code
