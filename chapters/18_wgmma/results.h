// results.h: how a warp of wgmma.cu stores its results.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "operand.h"
#include "work.h"

// A warp has 16 rows of a tile's results. TMA stores them, in boxes of 16 rows x 64 numbers. With two boxes in shared
// memory, the warp fills one while TMA reads the other. A tile takes each box of its warp equally often, so that the
// next tile goes on in turn.
constexpr int BOX_NUMBERS = 16 * BOX;
template <int GROUPS, int COLUMNS>
constexpr int BOXES_PER_WARP = COLUMNS % (2 * BOX) == 0 && GROUPS < 3 ? 2 : 1;

// Where TMA cannot store them, a warp stores 8 rows at a time. In shared memory each row has 8 numbers of padding,
// against bank conflicts.
constexpr int PADDING = 8;

// How many bytes of shared memory the results of a block take.
template <int GROUPS, int COLUMNS>
constexpr int RESULTS_BYTES =
    GROUPS * 4 * 2 * std::max(BOXES_PER_WARP<GROUPS, COLUMNS> * BOX_NUMBERS, 8 * (COLUMNS + PADDING));

#ifdef HAS_WGMMA
template <class T>
struct alignas(4) Two {
    T first, second;
};

// What that lane of the warp has.
template <class T>
__device__ Two<T> from_lane(Two<T> x, int lane) {
    reinterpret_cast<uint32_t&>(x) = __shfl_sync(~0u, reinterpret_cast<uint32_t&>(x), lane);
    return x;
}

// Waits until TMA has read the warp's boxes, except the latest `others`.
template <int others>
__device__ void wait_for_boxes() {
    if (threadIdx.x % 32 == 0) wait_for_stores_to_read<others>();  // it is lane 0 that starts the stores
    __syncwarp();
}

// A warp stores `height` rows of results from shared memory, `width` numbers of each, where rows of out begin anywhere.
// Lanes store neighbours, 4 bytes at a time, from the first multiple of 4 bytes on.
template <class T, int PITCH>
__device__ void store_rows(T* to, const T (&rows)[8][PITCH], int height, int width, int64_t n) {
    constexpr int COLUMNS = PITCH - PADDING;
#pragma unroll 4
    for (int i = int(threadIdx.x % 32); i < height * (COLUMNS / 2); i += 32) {
        const int r = i / (COLUMNS / 2);
        T* const row = to + r * n;
        const int odd = int(reinterpret_cast<uintptr_t>(row) / 2 % 2), c = i % (COLUMNS / 2) * 2 + odd;
        if (c == 1 && width > 0) row[0] = rows[r][0];
        if (c + 1 < width)
            *reinterpret_cast<Two<T>*>(row + c) = {rows[r][c], rows[r][c + 1]};
        else if (c < width)
            row[c] = rows[r][c];
    }
}

// Stores a warp's 16 rows of results where TMA cannot: 8 rows at a time, through shared memory, or, with 64 columns,
// directly from registers. at: the place of these rows.
template <int COLUMNS, class T>
__device__ void store_without_tma(const Task<T>& task, const Place& at, T* results, const float (&sums)[COLUMNS / 2]) {
    const int warp = int(threadIdx.x / 32), row = int(threadIdx.x % 32 / 4), column = int(threadIdx.x % 4 * 2);
    if constexpr (COLUMNS == 64) {
#pragma unroll
        for (int i = 0; i < COLUMNS / 8; i++) store_four(task, at, row, 8 * i + column, sums + 4 * i);
        return;
    }
    auto& rows = reinterpret_cast<T(*)[8][COLUMNS + PADDING]>(results)[warp];
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int i = 0; i < COLUMNS / 8; i++)
            store_pair(&rows[row][8 * i + column], sums[4 * i + 2 * half], sums[4 * i + 2 * half + 1]);
        __syncwarp();
        const int top = at.row + half * 8;
        store_rows(task.out + (int64_t(at.batch) * task.m + top) * task.n + at.column, rows, min(8, task.m - top),
                   min(COLUMNS, task.n - at.column), task.n);
        __syncwarp();
    }
}
#endif
