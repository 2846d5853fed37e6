// work.h: which steps of which tiles a block of wgmma.cu's kernel does, and how blocks that share a tile add up what
// they have found.
#pragma once
#include <cstdint>

#include "device/hopper.h"
#include "wgmma.h"

// What the kernel has to know besides the two tensor maps; see plan.h for `whole`. parts and counts: memory for the
// sums of blocks that share a tile, and how many steps of it are done.
template <class T>
struct Task {
    T* out;
    const T* bias;
    Activation f;
    int m, n, steps, a_batched, b_batched;
    int down, across, tiles, whole, each;
    float* parts;
    int* counts;
};

#ifdef HAS_WGMMA
// work(tile, begin, end), steps begin to end - 1 of a tile, for all that a cluster ("team") has to do. First come its
// steps of the shared tiles: `each` for a team, one after another. Then come whole tiles.
template <class T, class F>
__device__ void for_each_part(const Task<T>& task, int team, int teams, F work) {
    const int stop = min((team + 1) * task.each, (task.tiles - task.whole) * task.steps);
    for (int i = team * task.each, tile = team; i < stop || tile < task.whole;) {
        int of = tile, begin = 0, end = task.steps;
        if (i < stop) {
            of = task.whole + i / task.steps, begin = i % task.steps, end = min(task.steps, begin + stop - i);
            i += end - begin;
        } else {
            tile += teams;
        }
        work(of, begin, end);
    }
}

// The tile's first row and column, and its batch. Tiles that are under way together share rows of a and columns of b in
// the L2 cache, if they form a square: BAND of them down, then the next column, and so on.
struct Place {
    int row, column, batch;
};
template <int rows, int columns, int BAND>
__device__ Place place_of(int tile, int down, int across) {
    const int i = tile % (down * across), top = i / (BAND * across) * BAND, height = min(BAND, down - top);
    const int in_band = i % (BAND * across);
    return {(top + in_band % height) * rows, in_band / height * columns, tile / (down * across)};
}

// Adds up what the blocks that share a tile have found, in the order of k: the same bits each time. True for the last
// one to come, which then has all sums. All THREADS that multiply call it. tile: its number among those that are
// shared.
template <int THREADS, int CLUSTER, class T, int sums>
__device__ bool add_parts(float (&d)[sums], const Task<T>& task, int tile, int begin, int end) {
    __shared__ int done;
    // A team has at most two parts of tiles: one that begins in the middle of a tile, and one that begins with a tile.
    const auto part = [&](int block, bool first) {
        return reinterpret_cast<float4*>(task.parts + int64_t(2 * block + first) * (THREADS * sums)) + threadIdx.x;
    };
    float4* mine = part(blockIdx.x, begin == 0);
#pragma unroll
    for (int i = 0; i < sums / 4; i++)
        __stcg(mine + i * THREADS, make_float4(d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]));
    __threadfence();  // nobody counts these steps before the sums are there
    named_barrier(1, THREADS);
    const int rank = int(blockIdx.x % CLUSTER);
    if (threadIdx.x == 0) done = atomicAdd(&task.counts[tile * CLUSTER + rank], end - begin) + (end - begin);
    __threadfence();
    named_barrier(1, THREADS);
    if (done < task.steps) return false;
    const int first = tile * task.steps / task.each, last = ((tile + 1) * task.steps - 1) / task.each;
#pragma unroll
    for (float& x : d) x = 0;
    for (int team = first; team <= last; team++) {
        const float4* theirs = part(team * CLUSTER + rank, team == first);
#pragma unroll
        for (int i = 0; i < sums / 4; i++) {
            const float4 x = __ldcg(theirs + i * THREADS);
            d[4 * i] += x.x, d[4 * i + 1] += x.y, d[4 * i + 2] += x.z, d[4 * i + 3] += x.w;
        }
    }
    return true;
}
#endif
