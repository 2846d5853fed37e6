// divided.cu: the product of wgmma.cu for few tiles: the blocks of a cluster make a tile together. Each multiplies a
// part of k. No torch header in here.
#include "divided.h"

#include "device/number.h"
#include "gelu.h"

// As in wgmma.cu, one warp copies and GROUPS groups multiply. Then each block adds up a share of the tile's columns. It
// gets the sums of these from all blocks, which store them in its shared memory; its mbarrier `received` counts their
// bytes. It adds in the order of k: the same bits each time. If the sums of a tile take little room, they lie beside
// the ring. Otherwise they lie in it (IN_RING), and the blocks wait until all of them have multiplied.
template <class T, int GROUPS, int COLUMNS, int STAGES, bool IN_RING, bool a_along_k, bool b_along_k, bool GELU>
__global__ void __launch_bounds__(GROUPS * 128 + 32, 1)
    divided_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, Task<T> task) {
#ifdef HAS_WGMMA
    constexpr int ROWS = GROUPS * 64, THREADS = GROUPS * 128;
    extern __shared__ __align__(1024) char memory[];
    __shared__ uint64_t barriers[2 * STAGES + 1];
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
    const int group = __shfl_sync(~0u, warp / 4, 0);  // so nvcc knows that it is the same in all lanes
    const int parts = task.parts, rank = int(blockIdx.x) % parts;
    const int begin = rank * task.each, steps = max(min(task.each, task.steps - begin), 0);
    const int share = COLUMNS / 8 / parts;  // a block adds up 8 * share columns; of each 8, a thread has 4 sums
    Ring<ROWS, COLUMNS, STAGES, 1, GROUPS> ring = {address_of(memory), address_of(barriers)};
    const uint32_t received = address_of(&barriers[2 * STAGES]);
    if (threadIdx.x == 0) {
        mbarrier_init(received, 1);
        ring.make_barriers();
        mbarrier_arrive_expect(received, parts * share * THREADS * 16);
    }
    if (threadIdx.x == THREADS) prefetch_map(&a_map), prefetch_map(&b_map);
    if (!IN_RING) cluster_arrive();
    const Place at = place_of<ROWS, COLUMNS, 16>(int(blockIdx.x) / parts, task.down, task.across);
    __syncthreads();

    if (group == GROUPS) {  // the warp that copies
        if (lane == 0) wait_for_kernels_before();
        for (int step = 0; step < steps && lane == 0; step++)
            ring.template load<a_along_k, b_along_k>(&a_map, &b_map, task, at, begin + step, 0);
        __syncwarp();
        if (IN_RING) cluster_arrive();
        cluster_wait();
        return;
    }
    float sums[1][COLUMNS / 2] = {};
    for (int step = 0; step < steps; step++, ring.next()) {
        ring.template multiply<T, a_along_k, b_along_k>(sums, group);
        if (step > 0) ring.release_previous();
    }
    wgmma_wait<0>(sums[0]);
    if (IN_RING) cluster_arrive();
    cluster_wait();  // all have made their mbarriers; if IN_RING, all have multiplied

    // Block `to` gets the next `share` fours of each thread. There they are ordered by the sender's rank, then by their
    // number among the `share`, then by thread.
    char* const fours = memory + (IN_RING ? 0 : STAGES * ring.STAGE_BYTES) + threadIdx.x * 16;
#pragma unroll
    for (int i = 0, to = 0, next = 0; i < COLUMNS / 8; i++) {
        const uint32_t here = address_of(fours + (rank * share + next) * THREADS * 16);
        const float* const d = sums[0] + 4 * i;
        store_async(in_block(here, to), d[0], d[1], d[2], d[3], in_block(received, to));
        if (++next == share) next = 0, to++;
    }
    wait_for_blocks(received, 0);
    for (int i = 0; i < share; i++) {
        float d[4] = {};
#pragma unroll 8
        for (int part = 0; part < parts; part++) {
            const float4 x = *reinterpret_cast<const float4*>(fours + (part * share + i) * THREADS * 16);
            d[0] += x.x, d[1] += x.y, d[2] += x.z, d[3] += x.w;
        }
        const int column = 8 * (rank * share + i) + lane % 4 * 2;
#pragma unroll
        for (int j = 0; j < 4 && GELU; j++) {
            const int c = at.column + column + j % 2;
            const float x = d[j] + (c < task.n ? number(task.bias[c]) : 0.0f);
            d[j] = task.f == Activation::gelu ? gelu(x) : gelu_tanh(x);
        }
        store_four(task, at, warp * 16 + lane / 4, column, d);
    }
#endif
}

template <class T>
void launch_divided(const Plan& plan, const Launch& launch, bool a_along_k, bool b_along_k, const CUtensorMap& a,
                    const CUtensorMap& b, const Task<T>& task) {
    with_tile(plan.tile, [&](auto number) {
        constexpr Tile TILE = TILES[decltype(number)::value];
        if constexpr (TILE.divisible) {
            constexpr int GROUPS = TILE.groups, COLUMNS = TILE.columns, SUMS = GROUPS * 64 * COLUMNS * 4;
            constexpr bool IN_RING = SUMS > 64 * 1024;
            constexpr int OTHERS = IN_RING ? 0 : SUMS, STAGES = TILE.stages(OTHERS);
            const int threads = GROUPS * 128 + 32, bytes = STAGES * TILE.stage_bytes() + OTHERS;
            if (task.bias)
                return launch(divided_kernel<T, GROUPS, COLUMNS, STAGES, IN_RING, true, true, true>, threads, bytes, a,
                              b, task);
            with_layout(a_along_k, b_along_k, [&](auto a_is, auto b_is) {
                constexpr bool A = decltype(a_is)::value, B = decltype(b_is)::value;
                launch(divided_kernel<T, GROUPS, COLUMNS, STAGES, IN_RING, A, B, false>, threads, bytes, a, b, task);
            });
        }
    });
}

#define FOR_TYPE(T)                                                                                              \
    template void launch_divided(const Plan&, const Launch&, bool, bool, const CUtensorMap&, const CUtensorMap&, \
                                 const Task<T>&);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
