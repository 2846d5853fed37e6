// hopper_forward.cu: attention for compute capability 9.0. TMA brings tiles, wgmma multiplies them, and meanwhile the
// warpgroup computes the softmax of the next tile. Blocks stay until no work is left. No torch header in here.
#include <algorithm>
#include <cmath>
#include <string>

#include "common/device_attribute.h"
#include "common/shared_memory.h"
#include "hopper.h"

constexpr int KEYS = 128;  // in a tile of k and v

// A tile of queries, and how many tiles of keys these see. 0 tiles: no work is left.
struct Work {
    int batch, head, first_query, tiles;
};

// Where a block's tiles lie. `q` has the tile that is worked on and the next one; the result takes the place of q.
template <class T, int D, int GROUPS>
struct Tiles {
    static constexpr int QUERIES = GROUPS * 64, STAGES = 256 / D;
    T q[2][QUERIES * D], k[STAGES][KEYS * D], v[STAGES][KEYS * D];
};

template <int STAGES>
struct Barriers {
    uint64_t q_full[2], out_full[2], q_empty[2];
    uint64_t k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
};

#ifdef HAS_WGMMA
// Work number i of tiles of QUERIES queries. `together` heads are worked on at a time, so that their keys stay in the
// L2 cache while blocks read them. Their last queries see most keys and come first, so that no long work is left over.
template <int QUERIES>
__device__ Work work_of(int i, const Problem& p, int together) {
    const int tiles = tiles_of(p.queries, QUERIES), first_head = i / (together * tiles) * together;
    const int heads = min(together, p.batches * p.heads - first_head), of_them = i % (together * tiles);
    const int head = first_head + of_them % heads, first = (tiles - 1 - of_them / heads) * QUERIES;
    return {head / p.heads, head % p.heads, first, tiles_of(last_key(first + QUERIES - 1, p) + 1, KEYS)};
}
#endif

// A block has a warpgroup of which one thread loads and one stores, and GROUPS warpgroups that compute 64 queries each.
// A barrier "full" says that a tile has come, "empty" that no thread needs it any more.
template <class T, int D, int GROUPS>
__global__ void __launch_bounds__(128 * (GROUPS + 1), 1)
    hopper_forward_kernel(const __grid_constant__ Maps maps, float* lse, Problem p, int together, int* given_out) {
#ifdef HAS_WGMMA
    using Tiles = Tiles<T, D, GROUPS>;
    constexpr int QUERIES = Tiles::QUERIES, STAGES = Tiles::STAGES;
    extern __shared__ __align__(1024) char memory[];
    __shared__ Barriers<STAGES> at;
    __shared__ Work work[2];
    Tiles& tiles = *reinterpret_cast<Tiles*>(memory);
    // The shuffle tells the compiler that a warp has one value: it needs no register of each thread.
    const int group = __shfl_sync(~0u, int(threadIdx.x) / 128, 0) - 1, lane = int(threadIdx.x) % 32;
    if (threadIdx.x == 0) {
        const auto init = [](uint64_t& barrier, int arrivals) { mbarrier_init(address_of(&barrier), arrivals); };
        for (int i = 0; i < 2; i++) init(at.q_full[i], 1), init(at.q_empty[i], 1), init(at.out_full[i], GROUPS * 4);
        for (int i = 0; i < STAGES; i++) {
            init(at.k_full[i], 1), init(at.k_empty[i], GROUPS * 4);  // each warp that computes arrives
            init(at.v_full[i], 1), init(at.v_empty[i], GROUPS * 4);
        }
        fence_mbarrier_init();
    }
    __syncthreads();

    if (group < 0) {
        give_registers<GROUPS == 3 ? 32 : 24>();
        if (threadIdx.x == 0) {  // ---- the thread that loads
            const int all = tiles_of(p.queries, QUERIES) * p.batches * p.heads;
            int number = int(blockIdx.x);
            const auto next = [&] { return given_out ? int(gridDim.x) + atomicAdd(given_out, 1) : all; };
            for (int round = 0, step = 0;; round++, number = next()) {
                const int slot = round % 2;
                wait(at.q_empty[slot], round / 2 % 2 ^ 1);  // at first, all places are empty
                const Work w = work[slot] = number < all ? work_of<QUERIES>(number, p, together) : Work{};
                if (w.tiles == 0) return arrive(at.q_full[slot]);
                load_tile(tiles.q[slot], maps.q, at.q_full[slot], w.first_query, w.head, w.batch);
                for (int tile = w.tiles - 1; tile >= 0; tile--, step++) {  // from the last keys to the first
                    const int stage = step % STAGES, parity = step / STAGES % 2 ^ 1;
                    wait(at.k_empty[stage], parity);
                    load_tile(tiles.k[stage], maps.k, at.k_full[stage], tile * KEYS, w.head / p.group, w.batch);
                    wait(at.v_empty[stage], parity);
                    load_tile(tiles.v[stage], maps.v, at.v_full[stage], tile * KEYS, w.head / p.group, w.batch);
                }
            }
        }
        if (threadIdx.x == 32) {  // ---- the thread that stores
            for (int round = 0;; round++) {
                const int slot = round % 2, parity = round / 2 % 2;
                wait(at.q_full[slot], parity);
                const Work w = work[slot];
                if (w.tiles == 0) return;
                wait(at.out_full[slot], parity);
                tma_store(&maps.out, address_of(tiles.q[slot]), 0, w.first_query, 0, w.head, w.batch);
                wait_for_stores_to_read();
                arrive(at.q_empty[slot]);
            }
        }
        return;
    }

    // ---- the threads that compute
    take_registers<GROUPS == 3 ? 160 : 240>();
    const int my_row = group * 64 + int(threadIdx.x) % 128 / 32 * 16 + lane / 4;  // and the eighth row after it
    const auto release = [&](const uint64_t& barrier) {
        if (lane == 0) arrive(barrier);
    };
    const auto next_turn = [&] {
        if constexpr (GROUPS > 1) named_arrive(1 + (group + 1) % GROUPS, 256);
    };
    if (group == GROUPS - 1) next_turn();  // group 0 is the first to multiply
    for (int round = 0, step = 0;; round++, step++) {
        const int slot = round % 2;
        wait(at.q_full[slot], round / 2 % 2);
        const Work w = work[slot];
        if (w.tiles == 0) return;
        const int last = last_key(w.first_query + my_row, p), last_8_further = last_key(w.first_query + my_row + 8, p);
        const int seen_by_all = last_key(w.first_query + group * 64, p);
        float s[KEYS / 2], o[D / 2] = {}, shrink[2];
        uint32_t weights[KEYS / 4];
        TwoRows rows;

        const auto start_scores = [&](int of) {  // s = q @ k^T
            wait(at.k_full[of % STAGES], of / STAGES % 2);
            if constexpr (GROUPS > 1) named_barrier(1 + group, 256);  // it is this group's turn
            wgmma_fence();
            start_rows_by_rows<T, D, QUERIES, KEYS>(s, address_of(tiles.q[slot]) + group * 64 * ROW_BYTES,
                                                    address_of(tiles.k[of % STAGES]));
            wgmma_commit();
        };
        const auto start_result = [&] {  // o += weights @ v
            wait(at.v_full[step % STAGES], step / STAGES % 2);
            wgmma_fence();
            start_registers_by_columns<T, KEYS>(o, weights, address_of(tiles.v[step % STAGES]));
            wgmma_commit();
        };
        const auto mask_and_softmax = [&](int tile) {
            const int my_first = tile * KEYS + lane % 4 * 2;
            if (tile * KEYS + KEYS - 1 > seen_by_all) mask(s, last - my_first, last_8_further - my_first);
            online_softmax(s, rows, shrink, p.scale_2);
        };

        start_scores(step);
        next_turn();
        wgmma_wait<0>(s);
        release(at.k_empty[step % STAGES]);
        mask_and_softmax(w.tiles - 1);
        pack_sums<T>(weights, s);
        for (int tile = w.tiles - 2; tile >= 0; tile--, step++) {
            start_scores(step + 1);
            start_result();
            next_turn();
            wgmma_wait<1>(s);  // the scores are there, and the tensor cores go on with the result
            release(at.k_empty[(step + 1) % STAGES]);
            mask_and_softmax(tile);
            wgmma_wait<0>(o);
            release(at.v_empty[step % STAGES]);
            multiply_rows(o, shrink);
            pack_sums<T>(weights, s);
        }
        start_result();
        wgmma_wait<0>(o);
        release(at.v_empty[step % STAGES]);

        finish_rows(o, rows, lse + (int64_t(w.batch) * p.heads + w.head) * p.queries, w.first_query + my_row, p);
        write_tile<T, QUERIES>(tiles.q[slot], my_row, o);  // this group no longer needs its rows of q
        fence_async();
        __syncwarp();
        release(at.out_full[slot]);
    }
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

std::string why_no_hopper() {
    if (compute_capability() != 9) return "this GPU has no wgmma: it needs compute capability 9.0";
#ifndef CUDA_ON_CPU
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, hopper_forward_kernel<__half, 64, 2>));
    if (attributes.sharedSizeBytes == 0) return "it was compiled for sm_90, and wgmma needs sm_90a";  // an empty kernel
#endif
    return "";
}

// How many heads the blocks work on together: their keys and values fill at most 16 MB of the L2 cache, if one head of
// k does not fill more. With more than 12 tiles a block, these are at most 16 heads of k: that the longest tiles of all
// heads come first matters less then, and keys are read again sooner.
static int heads_together(const Problem& p, double rounds) {
    int64_t heads = std::max<int64_t>(1, (16 << 20) / (4 * int64_t(p.keys) * p.elements));
    if (rounds > 12) heads = std::min<int64_t>(heads, 16);
    return int(std::min(heads * p.group, int64_t(p.batches) * p.heads));
}

// About how many nanoseconds all blocks take with `groups` groups each. A tile of keys takes longer with more groups,
// but serves more queries: one group is good for few queries, three for many. Measured on an H200.
static double time_of(const Problem& p, int groups) {
    const double step = p.elements == 64 ? 630 + 300 * groups : 890 + 340 * groups;  // for a tile of keys
    const double ends = 1.5;  // beginning and ending a tile of queries takes as long as 1.5 tiles of keys
    const int queries = 64 * groups, tiles = tiles_of(p.queries, queries), keys = last_key(p.queries - 1, p) + 1;
    const double rounds = double(tiles) * p.batches * p.heads / device_attribute(cudaDevAttrMultiProcessorCount);
    const double longest = tiles_of(keys, KEYS) + ends;
    if (!p.causal) return step * longest * std::ceil(rounds);
    // A block walks as far as its last query sees, which is half a tile of queries further than its middle one.
    const double mean = (keys * (1 - keys / (2.0 * tiles * queries)) + queries / 2) / KEYS + ends;
    return step * std::max(longest, mean * rounds);
}

// With three groups, a thread has 160 registers: too few for D = 128.
static int fastest_groups(const Problem& p) {
    const int best = time_of(p, 2) < time_of(p, 1) ? 2 : 1;
    return p.elements == 64 && time_of(p, 3) < time_of(p, best) ? 3 : best;
}

template <class T, int D, int GROUPS>
static void launch(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                   int* given_out, cudaStream_t stream) {
    using Tiles = Tiles<T, D, GROUPS>;
    const int64_t tiles = int64_t(tiles_of(p.queries, Tiles::QUERIES)) * p.batches * p.heads;
    if (tiles == 0) return;
    if (tiles > 1 << 30) throw std::runtime_error("more than 1073741824 tiles of rows");
    const int processors = device_attribute(cudaDevAttrMultiProcessorCount);
    if (tiles <= processors) given_out = nullptr;  // each block has one tile, and setting the counter would take 1 us
    if (given_out) CHECK_CUDA(cudaMemsetAsync(given_out, 0, sizeof(int), stream));
    allow_shared_memory(hopper_forward_kernel<T, D, GROUPS>);
    hopper_forward_kernel<T, D, GROUPS>
        <<<unsigned(std::min<int64_t>(tiles, processors)), 128 * (GROUPS + 1), sizeof(Tiles), stream>>>(
            maps_of(out, q, k, v, p, Tiles::QUERIES, KEYS), lse, p, heads_together(p, double(tiles) / processors),
            given_out);
    CHECK_LAUNCH();
}

template <class T>
void launch_hopper_forward(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                           int groups, int* given_out, cudaStream_t stream) {
    if (groups == 0) groups = fastest_groups(p);
    const auto run = p.elements == 128 ? (groups == 1 ? launch<T, 128, 1> : launch<T, 128, 2>)
                     : groups == 1     ? launch<T, 64, 1>
                     : groups == 2     ? launch<T, 64, 2>
                                       : launch<T, 64, 3>;
    run(out, lse, q, k, v, p, given_out, stream);
}

#define FOR_TYPE(T)                                                                                                \
    template void launch_hopper_forward(Heads<T>, float*, Heads<const T>, Heads<const T>, Heads<const T>, Problem, \
                                        int, int*, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
