// rotate.cu: an image turned clockwise by 90 degrees.
#include "rotate.h"

#include "common/check.h"
#include "common/grid.h"

// your code
constexpr int side = 32;  // of a tile, and of a block of threads

__global__ void rotate_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float shared[side][side + 1];
    const int x = int(threadIdx.x), y = int(threadIdx.y);
    const int64_t top = int64_t(blockIdx.y) * side, left = int64_t(blockIdx.x) * side;
    if (top + y < rows && left + x < columns) shared[side - 1 - y][x] = in[(top + y) * columns + left + x];
    __syncthreads();
    if (left + y < columns && top + x < rows) out[(left + y) * rows + top + x] = shared[x][y];
}

void launch_rotate(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    const dim3 grid(blocks_for(columns, side), blocks_for(rows, side));
    rotate_kernel<<<grid, dim3(side, side), 0, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}
// end of your code
