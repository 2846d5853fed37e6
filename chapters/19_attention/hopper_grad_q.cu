// hopper_grad_q.cu: the gradient of q on Hopper, with the same bits each time: a block alone adds up its rows.
#include "hopper_backward.h"

// A block has 128 queries, and walks over the keys that they see. Tiles of q and grad are one for each group.
constexpr int BLOCK_QUERIES = 128;
template <int D>
constexpr int STEP_KEYS = 8192 / D;

template <class T, int D>
__global__ void __launch_bounds__(BLOCK_THREADS, 1)
    hopper_query_kernel(const __grid_constant__ BackwardMaps maps, const float2* of_query, Problem p) {
#ifdef HAS_WGMMA
    constexpr int N = STEP_KEYS<D>, QUERY_TILE = 64 * D * 2, KEY_TILE = N * D * 2;
    extern __shared__ __align__(1024) char memory[];
    __shared__ uint64_t barriers[2 * STAGES + 1];
    enum { FULL, EMPTY, QUERIES_FULL };
    const auto barrier = [&](int which, int stage) { return address_of(barriers) + 8 * (which * STAGES + stage); };
    const uint32_t q_tiles = address_of(memory), grad_tiles = q_tiles + GROUPS * QUERY_TILE;
    const uint32_t k_tiles = grad_tiles + GROUPS * QUERY_TILE, v_tiles = k_tiles + STAGES * KEY_TILE;
    const int group = int(threadIdx.x) / 128 - 1, thread = int(threadIdx.x) % 128, lane = thread % 32;
    const int tiles = tiles_of(p.queries, BLOCK_QUERIES);
    const Place at = place_of(blockIdx.x, tiles, p.heads);
    const int first_query = (tiles - 1 - at.tile) * BLOCK_QUERIES;  // the queries that see most keys come first
    const int steps = tiles_of(last_key(first_query + BLOCK_QUERIES - 1, p) + 1, N);
    if (threadIdx.x == 0) {
        mbarrier_init(barrier(QUERIES_FULL, 0), 1);
        for (int i = 0; i < STAGES; i++)
            mbarrier_init(barrier(FULL, i), 1), mbarrier_init(barrier(EMPTY, i), GROUPS * 4);
        fence_mbarrier_init();
    }
    __syncthreads();

    if (group < 0) {
        give_registers<24>();
        if (thread > 0) return;
        const uint32_t queries_full = barrier(QUERIES_FULL, 0);
        mbarrier_arrive_expect(queries_full, 2 * GROUPS * QUERY_TILE);
        for (int i = 0; i < GROUPS; i++) {
            const int row = first_query + i * 64;
            tma_load(q_tiles + i * QUERY_TILE, &maps.q, 0, row, 0, at.head, at.batch, queries_full);
            tma_load(grad_tiles + i * QUERY_TILE, &maps.grad, 0, row, 0, at.head, at.batch, queries_full);
        }
        for (int i = 0; i < steps; i++) {
            const int stage = i % STAGES, head = at.head / p.group;
            wait_for_phase(barrier(EMPTY, stage), i / STAGES % 2 ^ 1);
            mbarrier_arrive_expect(barrier(FULL, stage), 2 * KEY_TILE);
            tma_load(k_tiles + stage * KEY_TILE, &maps.k, 0, i * N, 0, head, at.batch, barrier(FULL, stage));
            tma_load(v_tiles + stage * KEY_TILE, &maps.v, 0, i * N, 0, head, at.batch, barrier(FULL, stage));
        }
        return;
    }

    take_registers<240>();
    const int my_first = first_query + group * 64, my_query = my_first + thread / 32 * 16 + lane / 4;
    const uint32_t q_tile = q_tiles + group * QUERY_TILE, grad_tile = grad_tiles + group * QUERY_TILE;
    const int64_t head = int64_t(at.batch) * p.heads + at.head;
    const float2* const my_numbers = of_query + head * room_for_queries(p.queries) + my_query;
    const float2 numbers[] = {my_numbers[0], my_numbers[8]};
    float dq[D / 2] = {};
    wait_for_phase(barrier(QUERIES_FULL, 0), 0);
    for (int i = 0; i < steps; i++) {
        const int stage = i % STAGES;
        const uint32_t k_tile = k_tiles + stage * KEY_TILE, v_tile = v_tiles + stage * KEY_TILE;
        float s[N / 2], dp[N / 2];
        uint32_t ds[N / 4];
        wait_for_phase(barrier(FULL, stage), i / STAGES % 2);
        rows_by_rows<T, D, 64, N>(s, q_tile, k_tile);
        rows_by_rows<T, D, 64, N>(dp, grad_tile, v_tile);
        wgmma_wait<1>(s);
        if (i * N + N - 1 > last_key(my_first, p)) {
            UNROLL for (int j = 0; j < N / 2; j++) if (i * N + lane % 4 * 2 + j / 4 * 8 + j % 2 >
                                                       last_key(my_query + j / 2 % 2 * 8, p)) s[j] = -INFINITY;
        }
        UNROLL for (int j = 0; j < N / 2; j++) s[j] = power_of_2(s[j] * p.scale_2 - numbers[j / 2 % 2].x);
        wgmma_wait<0>(dp);
        UNROLL for (int j = 0; j < N / 2; j += 2) {
            const float delta = numbers[j / 2 % 2].y;
            pack_pair(ds[j / 2], s[j] * (dp[j] - delta), s[j + 1] * (dp[j + 1] - delta), T());
        }
        registers_by_columns<T, N>(dq, ds, k_tile);
        wgmma_wait<0>(dq);
        if (lane == 0) mbarrier_arrive(barrier(EMPTY, stage));
    }
    store_results<T, D>(&maps.results[0], memory + group * QUERY_TILE, dq, p.scale, group, my_first, at.head, at.batch);
#endif
}

template <class T, int D>
void launch_grad_q(Heads<T> grad_q, const float2* of_query, Heads<const T> grad, Heads<const T> q, Heads<const T> k,
                   Heads<const T> v, Problem p, cudaStream_t stream) {
    constexpr int N = STEP_KEYS<D>;
    const auto of_queries = [&](const auto& x) { return map_of_tiles(x, p.batches, p.heads, p.queries, D, 64); };
    const auto of_keys = [&](const auto& x) { return map_of_tiles(x, p.batches, p.heads / p.group, p.keys, D, N); };
    const BackwardMaps maps = {of_queries(q), of_keys(k), of_keys(v), of_queries(grad), {of_queries(grad_q)}};
    launch_tiles(hopper_query_kernel<T, D>, p.queries, BLOCK_QUERIES, int64_t(p.batches) * p.heads, BLOCK_THREADS,
                 2 * (2 * BLOCK_QUERIES * D + 2 * STAGES * N * D), stream, maps, of_query, p);
}

#define FOR_TYPE(T, D)                                                                                         \
    template void launch_grad_q<T, D>(Heads<T>, const float2*, Heads<const T>, Heads<const T>, Heads<const T>, \
                                      Heads<const T>, Problem, cudaStream_t);
FOR_TYPE(__half, 64)
FOR_TYPE(__half, 128)
FOR_TYPE(__nv_bfloat16, 64)
FOR_TYPE(__nv_bfloat16, 128)
