// results.h: what wgmma.cu's kernel does with its sums: blocks add up those of one tile, and rows go to memory.
#pragma once
#include <cstdint>

#include "device/hopper.h"
#include "device/number.h"
#include "operand.h"

#ifdef HAS_WGMMA
// Columns `first` to `first + width - 1` of 8 rows of results of a warp go from shared memory to `to`: neighbours in
// the warp store neighbours, 16 bytes each, or from the first multiple of 4 bytes on, where rows of out begin anywhere.
template <class T, int PITCH>
__device__ void store_rows(T* to, const T (&rows)[8][PITCH], int first, int height, int width, int64_t n) {
    constexpr int PACKS = (PITCH - 8) / 8;
    const int lane = int(threadIdx.x % 32);
    if (n % 8 == 0 && reinterpret_cast<uintptr_t>(to) % 16 == 0) {
#pragma unroll 1
        for (int i = lane; i < height * PACKS; i += 32) {
            const int r = i / PACKS, c = i % PACKS * 8;
            if (c >= first && c < first + width)
                *reinterpret_cast<uint4*>(to + r * n + c) = *reinterpret_cast<const uint4*>(&rows[r][c]);
        }
        return;
    }
    to += first;
#pragma unroll 1
    for (int r = 0; r < height; r++, to += n) {
        const T* from = &rows[r][first];
        const int odd = int(reinterpret_cast<uintptr_t>(to) / 2 % 2);
        if (odd && lane == 0 && width > 0) to[0] = from[0];
#pragma unroll 1
        for (int c = odd + 2 * lane; c < width; c += 64)
            if (c + 1 < width)
                store_pair(to + c, number(from[c]), number(from[c + 1]));
            else
                to[c] = from[c];
    }
}

// The blocks of a cluster have each multiplied a part of k. They show each other their sums, in shared memory, and each
// adds up those of its share of the columns, in the order of k: the same bits each time. All threads that multiply call
// it; the warp that copies meets them at the cluster_sync().
template <int THREADS, int sums>
__device__ void add_parts(float (&d)[sums], char* memory, int parts, int rank) {
    float4* mine = reinterpret_cast<float4*>(memory) + threadIdx.x;
    named_barrier(1, THREADS);  // no thread reads the buffers any more
#pragma unroll
    for (int i = 0; i < sums / 4; i++)
        mine[i * THREADS] = make_float4(d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]);
    cluster_sync();
    const int share = sums / 4 / parts;
#pragma unroll
    for (int i = 0; i < sums / 4; i++) {
        if (i / share != rank) continue;
        d[4 * i] = d[4 * i + 1] = d[4 * i + 2] = d[4 * i + 3] = 0;
#pragma unroll 1
        for (int part = 0; part < parts; part++) {
            const float4 x = *static_cast<float4*>(__cluster_map_shared_rank(mine + i * THREADS, unsigned(part)));
            d[4 * i] += x.x, d[4 * i + 1] += x.y, d[4 * i + 2] += x.z, d[4 * i + 3] += x.w;
        }
    }
}
#endif
