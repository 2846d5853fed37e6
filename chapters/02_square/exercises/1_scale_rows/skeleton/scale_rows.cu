// scale_rows.cu: each row of a matrix times a number of its own.
#include "scale_rows.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int tile = 16;

// The grid lies over the matrix: x along a row, y from row to row. A thread has at most one element.
__global__ void scale_rows_kernel(float* result, const float* matrix, const float* factors, int64_t height,
                                  int64_t width) {
    // your code
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    // end of your code
}

void launch_scale_rows(float* result, const float* matrix, const float* factors, int64_t height, int64_t width,
                       cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    const dim3 block(tile, tile), grid(blocks_for(width, tile), blocks_for(height, tile));
    scale_rows_kernel<<<grid, block, 0, stream>>>(result, matrix, factors, height, width);
    CHECK_LAUNCH();
}
