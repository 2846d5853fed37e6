// lines.h: how tiles of a and b come to shared memory: asynchronously, transposed where needed. No torch.
#pragma once
#include <cuda_pipeline.h>

#include <cstdint>

#include "device/pack.h"
#include "matrix.h"

constexpr int TILE_K = 16;  // columns of a's tile, rows of b's

// Starts writing SIZE elements to shared memory: `count` elements that lie at `from`, and then zeros.
template <int SIZE>
__device__ void copy_async(float* to, const float* from, int count) {
    __pipeline_memcpy_async(to, from, 4 * SIZE, 4 * (SIZE - count));
}

// One of the two matrices, seen as lines of k elements: the rows of a, or the columns of b. With ALONG_K, the elements
// of a line are neighbours in memory. Without, element l of a line and element l of the next line are.
template <bool ALONG_K>
struct Lines {
    Matrix<float> x;
    bool by_four;  // 16 bytes can be copied at a time

    explicit Lines(Matrix<float> m) : x(m), by_four(aligned(m.data) && m.stride % 4 == 0 && m.batch_stride % 4 == 0) {}

    // How far element k of a line lies from element 0 of line 0.
    __device__ int64_t offset(int64_t line, int64_t k) const {
        return ALONG_K ? line * x.stride + k : line + k * x.stride;
    }
    __device__ const float* at(int64_t line, int64_t k) const {
        return x.data + blockIdx.y * x.batch_stride + offset(line, k);
    }

    // Starts filling `to`, with a line in each column: `count` lines of k_left elements, if there is room for so many.
    // The rest becomes zeros.
    template <int LINES, int THREADS>
    __device__ void copy(float (*to)[LINES + 4], const float* from, int count, int k_left) const {
        if (count < LINES || k_left < TILE_K)
            copy<LINES, THREADS, 1, false>(to, from, count, k_left);
        else if (ALONG_K || !by_four)
            copy<LINES, THREADS, 1, true>(to, from, count, k_left);
        else
            copy<LINES, THREADS, 4, true>(to, from, count, k_left);
    }

    // The same, SIZE elements at a time. whole: the tile lies within the matrix, so nothing has to be compared.
    template <int LINES, int THREADS, int SIZE, bool whole>
    __device__ void copy(float (*to)[LINES + 4], const float* from, int count, int k_left) const {
        const int thread = int(threadIdx.x);
        constexpr int AT_A_TIME = whole ? LINES : 4;  // rounds of the loop
        if constexpr (ALONG_K) {                      // a warp copies TILE_K elements, 64 bytes, of each of two lines
            constexpr int STEP = THREADS / TILE_K;
            const int first = thread / TILE_K, l = thread % TILE_K;
            from += offset(first, l);
#pragma unroll AT_A_TIME
            for (int line = first; line < first + LINES; line += STEP, from += offset(STEP, 0))
                copy_async<1>(&to[l][line], from, whole || (line < count && l < k_left));
        } else {  // neighbours in a warp copy element l of neighbouring lines
            constexpr int STEP = THREADS * SIZE / LINES;
            const int line = thread % (LINES / SIZE) * SIZE, first = thread / (LINES / SIZE);
            from += offset(line, first);
#pragma unroll AT_A_TIME
            for (int l = first; l < first + TILE_K; l += STEP, from += offset(0, STEP))
                copy_async<SIZE>(&to[l][line], from, whole ? SIZE : line < count && l < k_left);
        }
    }
};
