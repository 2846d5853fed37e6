// pitfalls.cu: transposes with one mistake each. test_transpose.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include "common/cuda_check.h"

constexpr int side = 32;

// Without the barrier a thread reads what another one has not written yet.
__global__ void no_barrier_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float tile[side][side + 1];
    const int64_t row = blockIdx.y * side, column = blockIdx.x * side;
    const int x = threadIdx.x, y = threadIdx.y;
    if (row + y < rows && column + x < columns) tile[y][x] = in[(row + y) * columns + column + x];
    if (column + y < columns && row + x < rows) out[(column + y) * rows + row + x] = tile[x][y];
}

// The tiles of a column, one after another: without a second barrier a thread fills the tile while others still read
// it.
template <bool second_barrier>
__global__ void several_tiles_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float tile[side][side + 1];
    const int64_t column = blockIdx.x * side;
    const int x = threadIdx.x, y = threadIdx.y;
    for (int64_t row = 0; row < rows; row += side) {
        if (row + y < rows && column + x < columns) tile[y][x] = in[(row + y) * columns + column + x];
        __syncthreads();
        if (column + y < columns && row + x < rows) out[(column + y) * rows + row + x] = tile[x][y];
        if (second_barrier) __syncthreads();
    }
}

// A thread with no element to read may have one to write.
__global__ void early_return_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float tile[side][side + 1];
    const int64_t row = blockIdx.y * side, column = blockIdx.x * side;
    const int x = threadIdx.x, y = threadIdx.y;
    if (row + y >= rows || column + x >= columns) return;
    tile[y][x] = in[(row + y) * columns + column + x];
    __syncthreads();
    if (column + y < columns && row + x < rows) out[(column + y) * rows + row + x] = tile[x][y];
}

// At the edge, some threads of a warp wait at the one barrier, others at the other.
__global__ void divergent_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float tile[side][side + 1];
    const int64_t row = blockIdx.y * side, column = blockIdx.x * side;
    const int x = threadIdx.x, y = threadIdx.y;
    if (row + y < rows && column + x < columns) {
        tile[y][x] = in[(row + y) * columns + column + x];
        __syncthreads();
    } else {
        __syncthreads();
    }
    if (column + y < columns && row + x < rows) out[(column + y) * rows + row + x] = tile[x][y];
}

// A tile of 128 x 128 floats is 64 KiB. Each thread moves 16 elements.
__global__ void large_tile_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    extern __shared__ float large[];
    const int64_t row = blockIdx.y * 128, column = blockIdx.x * 128;
    for (int i = threadIdx.y * side + threadIdx.x; i < 128 * 128; i += side * side)
        if (row + i / 128 < rows && column + i % 128 < columns)
            large[i] = in[(row + i / 128) * columns + column + i % 128];
    __syncthreads();
    for (int i = threadIdx.y * side + threadIdx.x; i < 128 * 128; i += side * side)
        if (column + i / 128 < columns && row + i % 128 < rows)
            out[(column + i / 128) * rows + row + i % 128] = large[i % 128 * 128 + i / 128];
}

static const dim3 block(side, side);

static dim3 tiles(int64_t rows, int64_t columns, int size = side) {
    return dim3(unsigned((columns + size - 1) / size), unsigned((rows + size - 1) / size));
}

void no_barrier(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    no_barrier_kernel<<<tiles(rows, columns), block, 0, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}

void one_barrier(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    several_tiles_kernel<false><<<tiles(rows, columns).x, block, 0, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}

void two_barriers(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    several_tiles_kernel<true><<<tiles(rows, columns).x, block, 0, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}

void early_return(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    early_return_kernel<<<tiles(rows, columns), block, 0, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}

void divergent(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    divergent_kernel<<<tiles(rows, columns), block, 0, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}

void no_attribute(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    large_tile_kernel<<<tiles(rows, columns, 128), block, 65536, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}

void attribute(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream) {
    CHECK_CUDA(cudaFuncSetAttribute(large_tile_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    no_attribute(out, in, rows, columns, stream);
}
