// strip.cu: a transpose in which a block moves all tiles of a column of tiles, one after another.
#include "strip.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int side = 32;  // of a tile, and of a block of threads

// your code
__global__ void strip_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float shared[side][side + 1];
    const int x = int(threadIdx.x), y = int(threadIdx.y);
    const int64_t left = int64_t(blockIdx.x) * side;  // the block's first column
    for (int64_t top = 0; top < rows; top += side) {  // a tile's first row
        if (top + y < rows && left + x < columns) shared[y][x] = in[(top + y) * columns + left + x];
        __syncthreads();
        if (left + y < columns && top + x < rows) out[(left + y) * rows + top + x] = shared[x][y];
        __syncthreads();  // all have read this tile: the next one may overwrite it
    }
}
// end of your code

void launch_strip(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    strip_kernel<<<blocks_for(columns, side), dim3(side, side), 0, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}
