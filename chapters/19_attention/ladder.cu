// ladder.cu: three steps towards hopper_forward.cu. Each block makes one tile of out: TMA brings tiles of q, k and v,
// wgmma multiplies them, and a warpgroup has 64 queries. No torch header in here.
#include "hopper.h"

// ---- what all three steps share ------------------------------------------------------------------------------------

constexpr int KEYS = 128, STAGES = 2;  // keys in a tile; tiles of k, and of v, that a block has room for

// Tiles of k, or of v. "full" says that a tile has come, "empty" that no warp needs it any more.
template <class T, int D>
struct Ring {
    T tiles[STAGES][KEYS * D];
    uint64_t full[STAGES], empty[STAGES];

#ifdef HAS_WGMMA
    __device__ void init(int warps) {
        for (const uint64_t& barrier : full) mbarrier_init(address_of(&barrier), 1);
        for (const uint64_t& barrier : empty) mbarrier_init(address_of(&barrier), warps);
    }
    // The thread that copies: tile number `step` of the walk, as soon as there is room.
    __device__ void load(int step, const CUtensorMap& map, int row, int head, int batch) {
        wait(empty[step % STAGES], step / STAGES % 2 ^ 1);  // at first, all places are empty
        load_tile(tiles[step % STAGES], map, full[step % STAGES], row, head, batch);
    }
    // The threads that compute: they wait for that tile, and later need it no more.
    __device__ uint32_t get(int step) const {
        wait(full[step % STAGES], step / STAGES % 2);
        return address_of(tiles[step % STAGES]);
    }
    __device__ void release(int step) const {
        if (threadIdx.x % 32 == 0) arrive(empty[step % STAGES]);
    }
#endif
};

// What a block has in shared memory. The result takes the place of q.
template <class T, int D, int GROUPS>
struct Memory {
    static constexpr int QUERIES = GROUPS * 64;
    T q[QUERIES * D];
    alignas(1024) Ring<T, D> k;
    alignas(1024) Ring<T, D> v;
    uint64_t q_full;
};

// A tile of queries, and how many tiles of keys these see. Step 0 takes the last of them.
struct Walk {
    int batch, head, first_query, tiles;

    __device__ int first_key(int step) const { return (tiles - 1 - step) * KEYS; }
};

#ifdef HAS_WGMMA
__device__ inline Walk walk_of(int queries, const Problem& p) {
    const int tiles = tiles_of(p.queries, queries);
    const Place at = place_of(blockIdx.x, tiles, p.heads);
    const int first = (tiles - 1 - at.tile) * queries;  // the last queries see most keys: they come first
    return {at.batch, at.head, first, tiles_of(last_key(first + queries - 1, p) + 1, KEYS)};
}

// What the thread that copies does.
template <class T, int D, int GROUPS>
__device__ void copy_tiles(Memory<T, D, GROUPS>& block, const Maps& maps, const Walk& w, const Problem& p) {
    load_tile(block.q, maps.q, block.q_full, w.first_query, w.head, w.batch);
    for (int step = 0; step < w.tiles; step++) {
        block.k.load(step, maps.k, w.first_key(step), w.head / p.group, w.batch);
        block.v.load(step, maps.v, w.first_key(step), w.head / p.group, w.batch);
    }
}

template <class T, int D, int GROUPS>
__device__ void make_barriers(Memory<T, D, GROUPS>& block) {
    if (threadIdx.x == 0) {
        mbarrier_init(address_of(&block.q_full), 1);
        block.k.init(GROUPS * 4), block.v.init(GROUPS * 4);  // each warp that computes arrives
        fence_mbarrier_init();
    }
    __syncthreads();
}

// s = q @ k^T, for a warpgroup's 64 rows of a block's q.
template <class T, int D, int GROUPS>
__device__ void start_scores(float (&s)[KEYS / 2], uint32_t q, uint32_t k) {
    wgmma_fence();
    start_rows_by_rows<T, D, GROUPS * 64, KEYS>(s, q, k);
    wgmma_commit();
}

// o += weights @ v
template <class T, int N>
__device__ void start_result(float (&o)[N], const uint32_t (&weights)[KEYS / 4], uint32_t v) {
    wgmma_fence();
    start_registers_by_columns<T, KEYS>(o, weights, v);
    wgmma_commit();
}

// Scores of 64 queries and of the keys of a tile become weights.
template <int N>
__device__ void mask_and_softmax(float (&s)[N], TwoRows& rows, float (&shrink)[2], int first_key, int first_query,
                                 const Problem& p) {
    if (first_key + KEYS - 1 > last_key(first_query, p)) {  // not all of these queries see all of these keys
        const int query = first_query + int(threadIdx.x) % 128 / 32 * 16 + int(threadIdx.x) % 32 / 4;
        const int my_first = first_key + int(threadIdx.x) % 4 * 2;
        mask(s, last_key(query, p) - my_first, last_key(query + 8, p) - my_first);
    }
    online_softmax(s, rows, shrink, p.scale_2);
}

// After the last keys: lets TMA store the result.
template <class T, int D, int GROUPS>
__device__ void finish(float (&o)[D / 2], const TwoRows& rows, Memory<T, D, GROUPS>& block, const Maps& maps,
                       float* lse, const Walk& w, const Problem& p) {
    const int my_row = int(threadIdx.x) / 32 * 16 + int(threadIdx.x) % 32 / 4;  // and the eighth row after it
    finish_rows(o, rows, lse + (int64_t(w.batch) * p.heads + w.head) * p.queries, w.first_query + my_row, p);
    write_tile<T, GROUPS * 64>(block.q, my_row, o);  // this warp no longer needs its rows of q
    fence_async();
    named_barrier(1, GROUPS * 128);
    if (threadIdx.x != 0) return;
    tma_store(&maps.out, address_of(block.q), 0, w.first_query, 0, w.head, w.batch);
    wait_for_stores_to_read();  // shared memory has to stay until then
}
#endif

// ---- first: one warpgroup computes, a warp copies; two: two warpgroups share k and v -------------------------------
template <class T, int D, int GROUPS>
__global__ void __launch_bounds__(GROUPS * 128 + 32, 1)
    waiting_kernel(const __grid_constant__ Maps maps, float* lse, Problem p) {
#ifdef HAS_WGMMA
    using Memory = Memory<T, D, GROUPS>;
    extern __shared__ __align__(1024) char memory[];
    Memory& block = *reinterpret_cast<Memory*>(memory);
    const Walk w = walk_of(Memory::QUERIES, p);
    const int group = __shfl_sync(~0u, int(threadIdx.x) / 128, 0);  // tells the compiler that a warp has one value
    make_barriers(block);
    if (group == GROUPS) {
        if (threadIdx.x == GROUPS * 128) copy_tiles(block, maps, w, p);
        return;
    }

    const uint32_t q = address_of(block.q) + group * 64 * ROW_BYTES;
    const int first_query = w.first_query + group * 64;
    float s[KEYS / 2], o[D / 2] = {}, shrink[2];
    uint32_t weights[KEYS / 4];
    TwoRows rows;

    wait(block.q_full, 0);
    for (int step = 0; step < w.tiles; step++) {  // from the last keys to the first
        start_scores<T, D, GROUPS>(s, q, block.k.get(step));
        wgmma_wait<0>(s);
        block.k.release(step);
        mask_and_softmax(s, rows, shrink, w.first_key(step), first_query, p);
        multiply_rows(o, shrink);
        pack_sums<T>(weights, s);
        start_result<T>(o, weights, block.v.get(step));
        wgmma_wait<0>(o);
        block.v.release(step);
    }
    finish(o, rows, block, maps, lse, w, p);
#endif
}

// ---- overlap: the softmax of a tile runs while wgmma multiplies the weights of the tile before by v ----------------
template <class T, int D>
__global__ void __launch_bounds__(384, 1) overlap_kernel(const __grid_constant__ Maps maps, float* lse, Problem p) {
#ifdef HAS_WGMMA
    constexpr int GROUPS = 2;
    using Memory = Memory<T, D, GROUPS>;
    extern __shared__ __align__(1024) char memory[];
    Memory& block = *reinterpret_cast<Memory*>(memory);
    const Walk w = walk_of(Memory::QUERIES, p);
    const int group = __shfl_sync(~0u, int(threadIdx.x) / 128, 0);
    make_barriers(block);
    if (group == GROUPS) {
        give_registers<24>();  // a whole warpgroup has to
        if (threadIdx.x == GROUPS * 128) copy_tiles(block, maps, w, p);
        return;
    }

    take_registers<240>();  // scores, weights and sums live at the same time
    const uint32_t q = address_of(block.q) + group * 64 * ROW_BYTES;
    const int first_query = w.first_query + group * 64;
    float s[KEYS / 2], o[D / 2] = {}, shrink[2];
    uint32_t weights[KEYS / 4];
    TwoRows rows;

    wait(block.q_full, 0);
    start_scores<T, D, GROUPS>(s, q, block.k.get(0));
    wgmma_wait<0>(s);
    block.k.release(0);
    mask_and_softmax(s, rows, shrink, w.first_key(0), first_query, p);
    pack_sums<T>(weights, s);
    for (int step = 1; step < w.tiles; step++) {
        start_scores<T, D, GROUPS>(s, q, block.k.get(step));
        start_result<T>(o, weights, block.v.get(step - 1));
        wgmma_wait<1>(s);  // the scores are there, and the tensor cores go on with the result
        block.k.release(step);
        mask_and_softmax(s, rows, shrink, w.first_key(step), first_query, p);
        wgmma_wait<0>(o);
        block.v.release(step - 1);
        multiply_rows(o, shrink);
        pack_sums<T>(weights, s);
    }
    start_result<T>(o, weights, block.v.get(w.tiles - 1));
    wgmma_wait<0>(o);
    finish(o, rows, block, maps, lse, w, p);
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

template <class T, int D, int GROUPS>
static void launch(void (*kernel)(Maps, float*, Problem), int threads, Heads<T> out, float* lse, Heads<const T> q,
                   Heads<const T> k, Heads<const T> v, Problem p, cudaStream_t stream) {
    const int64_t heads = int64_t(p.batches) * p.heads;
    if (p.queries == 0 || heads == 0) return;  // TMA knows no tensor of 0 rows
    const Maps maps = maps_of(out, q, k, v, p, GROUPS * 64, KEYS);
    launch_tiles(kernel, p.queries, GROUPS * 64, heads, threads, int(sizeof(Memory<T, D, GROUPS>)), stream, maps, lse,
                 p);
}

template <class T, int D>
static void launch(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                   AttentionStep step, cudaStream_t stream) {
    if (step == AttentionStep::first)
        return launch<T, D, 1>(waiting_kernel<T, D, 1>, 160, out, lse, q, k, v, p, stream);
    if (step == AttentionStep::two) return launch<T, D, 2>(waiting_kernel<T, D, 2>, 288, out, lse, q, k, v, p, stream);
    launch<T, D, 2>(overlap_kernel<T, D>, 384, out, lse, q, k, v, p, stream);
}

template <class T>
void launch_attention_ladder(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                             AttentionStep step, cudaStream_t stream) {
    (p.elements == 64 ? launch<T, 64> : launch<T, 128>)(out, lse, q, k, v, p, step, stream);
}

#define FOR_TYPE(T)                                                                                                  \
    template void launch_attention_ladder(Heads<T>, float*, Heads<const T>, Heads<const T>, Heads<const T>, Problem, \
                                          AttentionStep, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
