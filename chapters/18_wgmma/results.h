// results.h: how a warp of wgmma.cu stores its results.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "operand.h"

// A warp has 16 rows of a tile's results. It hands them to TMA by boxes of 64 numbers of each row. With room for two
// boxes it fills one while TMA reads the other.
constexpr int BOX_OF_RESULTS = 16 * BOX;
template <int GROUPS, int COLUMNS>
constexpr int BOXES = COLUMNS % 128 == 0 && GROUPS < 3 ? 2 : 1;
// How many numbers a warp has room for in shared memory: its boxes, or 8 of its rows.
template <int GROUPS, int COLUMNS>
constexpr int ROOM = std::max(BOXES<GROUPS, COLUMNS> * BOX_OF_RESULTS, 8 * COLUMNS);

#ifdef HAS_WGMMA
template <class T>
struct alignas(4) Two {
    T first, second;
};

// What another lane of the warp has.
template <class T>
__device__ Two<T> of_lane(Two<T> x, int lane) {
    reinterpret_cast<uint32_t&>(x) = __shfl_sync(~0u, reinterpret_cast<uint32_t&>(x), lane);
    return x;
}

// Where number c of row r lies in shared memory: swizzled as TMA wants it, so that a warp's stores meet no bank twice.
template <int COLUMNS>
__device__ int place_in_rows(int r, int c) {
    return r * COLUMNS + (c / 8 ^ r % 8) * 8 + c % 8;
}

// Waits until TMA has read the warp's boxes, but for the latest `others`.
template <int others>
__device__ void wait_for_boxes() {
    if (threadIdx.x % 32 == 0) wait_for_stores_to_read<others>();  // it is lane 0 that starts the stores
    __syncwarp();
}

// Where rows of out begin anywhere, TMA cannot store them. A warp stores `height` of its 8 rows, `width` numbers of
// each. Lanes store neighbours, 4 bytes at a time, from the first multiple of 4 bytes on.
template <int COLUMNS, class T>
__device__ void store_rows(T* to, const T* rows, int height, int width, int64_t n) {
#pragma unroll 4
    for (int i = int(threadIdx.x % 32); i < height * (COLUMNS / 2); i += 32) {
        const int r = i / (COLUMNS / 2);
        T* const row = to + r * n;
        const int odd = int(reinterpret_cast<uintptr_t>(row) / 2 % 2), c = i % (COLUMNS / 2) * 2 + odd;
        const auto at = [&](int c) { return rows[place_in_rows<COLUMNS>(r, c)]; };
        if (c == 1 && width > 0) row[0] = at(0);
        if (c + 1 < width)
            *reinterpret_cast<Two<T>*>(row + c) = {at(c), at(c + 1)};
        else if (c < width)
            row[c] = at(c);
    }
}
#endif
