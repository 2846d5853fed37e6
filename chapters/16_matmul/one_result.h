// one_result.h: what a block of matmul.cu's kernels has to do, and the first two of them, with one result a thread.
#pragma once
#include <cstdint>

#include "bands.h"
#include "common/cuda_check.h"
#include "matrix.h"
#include "parts.h"

struct Shape {
    int m, n, k;    // out is m x n
    Parts parts;    // of k: a block adds up part blockIdx.z
    float one = 1;  // see Results::store()
};

// ---- a block has a tile of the result ------------------------------------------------------------------------------

// The first row and column of a tile. blockIdx.y is the number of the matrix, for those kernels that work on a batch.
struct Place {
    int row, column;
};

__host__ __device__ inline int tiles_of(int side, int tile) { return side / tile + (side % tile != 0); }

// The tile of this block, in bands of 8 rows of tiles.
__device__ inline Place place_of(Shape s, int rows, int columns) {
    const TileAt at = tile_at(blockIdx.x, tiles_of(s.m, rows), tiles_of(s.n, columns), 8);
    return {int(at.row) * rows, int(at.column) * columns};
}

// ---- one result a thread -------------------------------------------------------------------------------------------

__device__ inline float element(Matrix<float> x, int64_t row, int64_t column) {
    return x.data[blockIdx.y * x.batch_stride + (x.transposed ? column * x.stride + row : row * x.stride + column)];
}

__device__ inline float& element(float* out, Shape s, int64_t row, int64_t column) {
    return out[((blockIdx.z * gridDim.y + blockIdx.y) * int64_t(s.m) + row) * s.n + column];
}

// 32 x 32 threads.
__global__ void naive_kernel(float* out, Matrix<float> a, Matrix<float> b, Shape s) {
    const Place tile = place_of(s, 32, 32);
    const int64_t row = tile.row + int64_t(threadIdx.y), column = tile.column + int64_t(threadIdx.x);
    if (row >= s.m || column >= s.n) return;
    float sum = 0;
    for (int l = 0; l < s.k; l++) sum += element(a, row, l) * element(b, l, column);
    element(out, s, row, column) = sum;
}

// ---- tiles of a and b in shared memory -----------------------------------------------------------------------------

// 32 x 32 threads. Each copies an element of a and one of b, which 32 threads of the block read.
__global__ void tile_kernel(float* out, Matrix<float> a, Matrix<float> b, Shape s) {
    __shared__ float a_tile[32][32], b_tile[32][32];
    const Place tile = place_of(s, 32, 32);
    const int x = int(threadIdx.x), y = int(threadIdx.y);
    const int64_t row = int64_t(tile.row) + y, column = int64_t(tile.column) + x;
    float sum = 0;
    for (int64_t k = 0; k < s.k; k += 32) {  // beyond the edges of a and b, the tiles hold zeros
        a_tile[y][x] = row < s.m && k + x < s.k ? element(a, row, k + x) : 0;
        b_tile[y][x] = k + y < s.k && column < s.n ? element(b, k + y, column) : 0;
        __syncthreads();  // the tiles are complete
        for (int l = 0; l < 32; l++) sum += a_tile[y][l] * b_tile[l][x];
        __syncthreads();  // no thread needs them any more
    }
    if (row < s.m && column < s.n) element(out, s, row, column) = sum;
}

template <void (*kernel)(float*, Matrix<float>, Matrix<float>, Shape)>
static void launch(float* out, Matrix<float> a, Matrix<float> b, unsigned batches, Shape s, cudaStream_t stream) {
    kernel<<<dim3(unsigned(tiles_of(s.m, 32) * tiles_of(s.n, 32)), batches), dim3(32, 32), 0, stream>>>(out, a, b, s);
    CHECK_LAUNCH();
}
