// pitfalls.cu: kernels with one mistake each. test_matmul.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include <cuda_pipeline.h>

#include "common/cuda_check.h"

constexpr int SIDE = 64, TILE = 16;  // 16 x 16 threads, each with one result

// A fast warp overwrites the tiles while a slow one still multiplies.
__global__ void no_second_barrier_kernel(float* out, const float* a, const float* b) {
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int x = int(threadIdx.x), y = int(threadIdx.y), row = int(blockIdx.y) * TILE + y,
              column = int(blockIdx.x) * TILE + x;
    float sum = 0;
    for (int k = 0; k < SIDE; k += TILE) {
        a_tile[y][x] = a[row * SIDE + k + x];
        b_tile[y][x] = b[(k + y) * SIDE + column];
        __syncthreads();
        for (int l = 0; l < TILE; l++) sum += a_tile[y][l] * b_tile[l][x];
    }
    out[row * SIDE + column] = sum;
}

// Two batches of copies are under way, and wait_prior(2) waits until there are at most two: it never waits.
__global__ void waits_for_too_few_kernel(float* out, const float* a, const float* b) {
    __shared__ float a_tile[2][TILE][TILE], b_tile[2][TILE][TILE];
    const int x = int(threadIdx.x), y = int(threadIdx.y), row = int(blockIdx.y) * TILE + y,
              column = int(blockIdx.x) * TILE + x;
    const auto copy = [&](int k) {
        if (k < SIDE) {
            __pipeline_memcpy_async(&a_tile[k / TILE % 2][y][x], &a[row * SIDE + k + x], sizeof(float));
            __pipeline_memcpy_async(&b_tile[k / TILE % 2][y][x], &b[(k + y) * SIDE + column], sizeof(float));
        }
        __pipeline_commit();
    };
    float sum = 0;
    copy(0);
    for (int k = 0; k < SIDE; k += TILE) {
        copy(k + TILE);
        __pipeline_wait_prior(2);
        __syncthreads();
        for (int l = 0; l < TILE; l++) sum += a_tile[k / TILE % 2][y][l] * b_tile[k / TILE % 2][l][x];
        __syncthreads();
    }
    out[row * SIDE + column] = sum;
}

// Row 1 of 63 floats begins at byte 252, which is no multiple of 16.
__global__ void sixteen_bytes_of_odd_rows_kernel(float* out, const float* a, const float* b) {
    constexpr int COLUMNS = SIDE - 1;
    __shared__ __align__(16) float b_row[SIDE];
    const int column = int(threadIdx.x);
    float sum = 0;
    for (int k = 0; k < SIDE; k++) {
        if (column % 4 == 0)
            __pipeline_memcpy_async(&b_row[column], &b[k * COLUMNS + column], 16, column + 4 > COLUMNS ? 4 : 0);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += a[int(blockIdx.x) * SIDE + k] * b_row[column];
        __syncthreads();
    }
    if (column < COLUMNS) out[int(blockIdx.x) * COLUMNS + column] = sum;
}

void no_second_barrier(float* out, const float* a, const float* b, cudaStream_t stream) {
    no_second_barrier_kernel<<<dim3(4, 4), dim3(TILE, TILE), 0, stream>>>(out, a, b);
    CHECK_LAUNCH();
}

void waits_for_too_few(float* out, const float* a, const float* b, cudaStream_t stream) {
    waits_for_too_few_kernel<<<dim3(4, 4), dim3(TILE, TILE), 0, stream>>>(out, a, b);
    CHECK_LAUNCH();
}

void sixteen_bytes_of_odd_rows(float* out, const float* a, const float* b, cudaStream_t stream) {
    sixteen_bytes_of_odd_rows_kernel<<<SIDE, SIDE, 0, stream>>>(out, a, b);
    CHECK_LAUNCH();
}
