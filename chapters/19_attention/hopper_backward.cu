// hopper_backward.cu: the gradients of attention on Hopper. TMA brings tiles, wgmma multiplies them.
// Fused: one kernel makes the five products of a tile. Each block adds its part of grad_q to floats in the L2 cache, in
// whatever order blocks run. Deterministic: hopper_grad_q.cu makes grad_q, which takes two products more.
#include "hopper_backward.h"

// Floats of shared sums for grad_q lie in squares of 64 x 64 elements: row by row of squares in a head.
constexpr int SQUARE = 64 * 64;
template <int D>
__host__ __device__ int64_t squares_of(const Problem& p) {
    return room_for_queries(p.queries) / 64 * (D / 64);
}

// ---- instructions --------------------------------------------------------------------------------------------------

#ifdef HAS_WGMMA
// Bytes as they lie, a multiple of 16. PTX ISA, cp.async.bulk
__device__ inline void load_bytes(uint32_t to, const void* from, int bytes, uint32_t barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// Adds four floats, in the L2 cache. PTX ISA, red
__device__ inline void add_four(float* to, float a, float b, float c, float d) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(a), "f"(b), "f"(c), "f"(d)
                 : "memory");
}

// Where in a tile with the 128-byte swizzle this lane's first two results go. `row` is the lane's row. The same 8 * n
// columns further: ^ n * 16.
__device__ inline int place_in_tile(int row) {
    return row * 128 + int(threadIdx.x) % 32 / 4 * 16 + int(threadIdx.x) % 4 * 4;
}
#endif

// ---- once for each query -------------------------------------------------------------------------------------------

// What the other kernels need of a query: its lse, in powers of 2, and delta, the sum of out * grad. Without a key, or
// past the end, the lse is infinity: then all weights are 0. D / 8 lanes share a row.
template <class T, int D>
__global__ void __launch_bounds__(256)
    hopper_delta_kernel(float2* of_query, Heads<const T> grad, Heads<const T> out, const float* lse, Problem p) {
    constexpr int LANES = D / 8, ROWS = 256 / LANES;
    const int room = int(room_for_queries(p.queries)), lane = int(threadIdx.x) % LANES;
    const Place at = place_of(blockIdx.x, unsigned(room / ROWS), p.heads);
    const int query = at.tile * ROWS + int(threadIdx.x) / LANES;
    const int64_t head = int64_t(at.batch) * p.heads + at.head;
    float2 result = {INFINITY, 0};
    if (query < p.queries) {
        const auto pack = [&](const Heads<const T>& x) {
            return as<Pack<T>>(reinterpret_cast<const uint4*>(x.row(at.batch, at.head, query))[lane]);
        };
        const Pack<T> x = pack(out), y = pack(grad);
        UNROLL for (int i = 0; i < 8; i++) result.y += number(x.values[i]) * number(y.values[i]);
        const float logarithm = lse[head * p.queries + query];
        if (logarithm != -INFINITY) result.x = logarithm * LOG2_E;
    }
    for (int apart = LANES / 2; apart > 0; apart /= 2) result.y += __shfl_xor_sync(~0u, result.y, apart);
    if (lane == 0) of_query[head * room + query] = result;
}

// ---- the gradients of k and v; fused: that of q as well ------------------------------------------------------------

// A block has 128 keys, and walks over all queries of all heads that share them. Scores are computed with keys as rows:
// then weights and ds lie in registers just as the products with grad and q want their left operand. The product ds @ k
// alone sums over the keys of both groups, and so ds goes through shared memory.
constexpr int KEYS = 128;
template <int D>
constexpr int QUERIES = 8192 / D;  // of a step: as many as registers have room for

template <class T, int D, bool FUSED>
__global__ void __launch_bounds__(BLOCK_THREADS, 1)
    hopper_key_kernel(const __grid_constant__ BackwardMaps maps, const float2* of_query, float* sums, Problem p) {
#ifdef HAS_WGMMA
    constexpr int N = QUERIES<D>, KEY_TILE = KEYS * D * 2, QUERY_TILE = N * D * 2, DS_TILE = KEYS * N * 2;
    extern __shared__ __align__(1024) char memory[];
    __shared__ __align__(16) float2 numbers[STAGES][N];
    __shared__ uint64_t barriers[3 * STAGES + 1];
    enum { Q_FULL, GRAD_FULL, EMPTY, KEYS_FULL };
    const auto barrier = [&](int which, int stage) { return address_of(barriers) + 8 * (which * STAGES + stage); };
    constexpr int DS_TILES = 2 * KEY_TILE + 2 * STAGES * QUERY_TILE;  // from memory's begin to them
    const uint32_t k_tile = address_of(memory), v_tile = k_tile + KEY_TILE;
    const uint32_t q_tiles = v_tile + KEY_TILE, grad_tiles = q_tiles + STAGES * QUERY_TILE;
    const int group = __shfl_sync(~0u, int(threadIdx.x) / 128 - 1, 0);  // so nvcc knows that a warp agrees: no spills
    const int thread = int(threadIdx.x) % 128, lane = thread % 32;
    const Place at = place_of(blockIdx.x, tiles_of(p.keys, KEYS), p.heads / p.group);
    const int first_key = at.tile * KEYS, first_tile = p.causal ? first_key / N : 0;
    const int tiles = tiles_of(p.queries, N);
    const auto for_each_step = [&](auto work) {  // both roles go through the same steps
        int step = 0;
        for (int head = at.head * p.group; head < (at.head + 1) * p.group; head++)
            for (int tile = first_tile; tile < tiles; tile++, step++)
                work(head, tile * N, step % STAGES, step / STAGES % 2);
    };
    if (threadIdx.x == 0) {
        mbarrier_init(barrier(KEYS_FULL, 0), 1);
        for (int i = 0; i < STAGES; i++) {
            mbarrier_init(barrier(Q_FULL, i), 1), mbarrier_init(barrier(GRAD_FULL, i), 1);
            mbarrier_init(barrier(EMPTY, i), GROUPS * 4);  // warps
        }
        fence_mbarrier_init();
    }
    __syncthreads();

    if (group < 0) {  // the warpgroup that copies: one of its threads
        give_registers<24>();
        if (thread > 0) return;
        mbarrier_arrive_expect(barrier(KEYS_FULL, 0), 2 * KEY_TILE);
        tma_load(k_tile, &maps.k, 0, first_key, 0, at.head, at.batch, barrier(KEYS_FULL, 0));
        tma_load(v_tile, &maps.v, 0, first_key, 0, at.head, at.batch, barrier(KEYS_FULL, 0));
        for_each_step([&](int head, int first_query, int stage, int parity) {
            wait_for_phase(barrier(EMPTY, stage), parity ^ 1);  // at first, all stages are empty
            mbarrier_arrive_expect(barrier(Q_FULL, stage), QUERY_TILE + int(sizeof numbers[0]));
            tma_load(q_tiles + stage * QUERY_TILE, &maps.q, 0, first_query, 0, head, at.batch, barrier(Q_FULL, stage));
            // compute-sanitizer's racecheck may call this copy a race with the reads of `numbers` below. It is not:
            // they come after the wait for Q_FULL, which ends when the copy has arrived, and before each warp arrives
            // at EMPTY, for which we have just waited.
            load_bytes(address_of(numbers[stage]),
                       of_query + (int64_t(at.batch) * p.heads + head) * room_for_queries(p.queries) + first_query,
                       int(sizeof numbers[0]), barrier(Q_FULL, stage));
            mbarrier_arrive_expect(barrier(GRAD_FULL, stage), QUERY_TILE);
            tma_load(grad_tiles + stage * QUERY_TILE, &maps.grad, 0, first_query, 0, head, at.batch,
                     barrier(GRAD_FULL, stage));
        });
        return;
    }

    take_registers<240>();
    const int my_row = group * 64 + thread / 32 * 16 + lane / 4, my_column = lane % 4 * 2;  // see wgmma() for the rest
    const uint32_t my_keys = k_tile + group * 64 * 128, my_values = v_tile + group * 64 * 128;
    float dk[D / 2] = {}, dv[D / 2] = {};
    wait_for_phase(barrier(KEYS_FULL, 0), 0);
    for_each_step([&](int head, int first_query, int stage, int parity) {
        const uint32_t q_tile = q_tiles + stage * QUERY_TILE, grad_tile = grad_tiles + stage * QUERY_TILE;
        const int ds_tile = DS_TILES + stage * DS_TILE, my_ds = ds_tile + place_in_tile(my_row);
        float s[N / 2], dp[N / 2];
        uint32_t weights[N / 4], ds[N / 4];
        wait_for_phase(barrier(Q_FULL, stage), parity);
        rows_by_rows<T, D, KEYS, N>(s, my_keys, q_tile);
        wait_for_phase(barrier(GRAD_FULL, stage), parity);
        rows_by_rows<T, D, KEYS, N>(dp, my_values, grad_tile);

        wgmma_wait<1>(s);
        // Keys past the end have the score 0, and so perhaps a weight that is infinite: they need the mask as well.
        if (first_key + group * 64 + 63 > last_key(first_query, p)) {
            UNROLL for (int j = 0; j < N / 2; j++) {
                const int query = first_query + my_column + j / 4 * 8 + j % 2;
                if (first_key + my_row + j / 2 % 2 * 8 > last_key(query, p)) s[j] = -INFINITY;
            }
        }
        UNROLL for (int j = 0; j < N / 2; j += 4) {
            const float4 two = as<float4>(*reinterpret_cast<const uint4*>(&numbers[stage][2 * j + my_column]));
            UNROLL for (int x = 0; x < 4; x++) s[j + x] = power_of_2(s[j + x] * p.scale_2 - (x % 2 ? two.z : two.x));
            UNROLL for (int x = 0; x < 2; x++) pack_pair(weights[j / 2 + x], s[j + 2 * x], s[j + 2 * x + 1], T());
        }
        wgmma_wait<0>(dp);
        UNROLL for (int j = 0; j < N / 2; j += 4) {
            const float4 two = as<float4>(*reinterpret_cast<const uint4*>(&numbers[stage][2 * j + my_column]));
            UNROLL for (int x = 0; x < 2; x++) {
                const int of = j + 2 * x;
                pack_pair(ds[of / 2], s[of] * (dp[of] - two.y), s[of + 1] * (dp[of + 1] - two.w), T());
                if (FUSED)
                    *reinterpret_cast<uint32_t*>(memory + (my_ds ^ j / 4 % 8 * 16) + (j / 32 * KEYS + x * 8) * 128) =
                        ds[of / 2];
            }
        }
        registers_by_columns<T, N>(dv, weights, grad_tile);
        float dq[32];
        if (FUSED) {
            // Both groups' ds are there, and no thread needs the last step's: this step's is in another tile.
            fence_async();
            named_barrier(1, GROUPS * 128);
            // Each group makes one square of grad_q: with D = 128 it has 64 columns of k, or else 64 queries of ds.
            const uint32_t a = k_tile + ds_tile + (D == 64 ? group * KEYS * 128 : 0);
            const uint32_t b = k_tile + (D == 64 ? 0 : group * KEYS * 128);
            wgmma_fence();
            UNROLL for (int j = 0; j < KEYS / 16; j++) {
                const uint64_t a_part = wgmma_descriptor(a + j * 16 * 128, 0);
                const uint64_t b_part = wgmma_descriptor(b + j * 16 * 128, 0);
                j == 0 ? wgmma<T, true, true, false>(dq, a_part, b_part) : wgmma<T, true, true>(dq, a_part, b_part);
            }
            wgmma_commit();
        }
        registers_by_columns<T, N>(dk, ds, q_tile);
        if (FUSED) {
            wgmma_wait<1>(dq);
            // The square has the order of the registers, so that a warp adds to 512 bytes side by side.
            const int row = (at.batch * p.heads + head) * int(room_for_queries(p.queries) / 64) + first_query / 64;
            float* const square = sums + int64_t(row * (D / 64) + group) * SQUARE + thread * 4;
            UNROLL for (int j = 0; j < 32; j += 4) add_four(square + j * 128, dq[j], dq[j + 1], dq[j + 2], dq[j + 3]);
        }
        wgmma_wait<0>(dv);
        wgmma_wait<0>(dk);
        __syncwarp();  // all lanes have read their numbers
        if (lane == 0) mbarrier_arrive(barrier(EMPTY, stage));
    });
    named_barrier(1, GROUPS * 128);  // no group needs k and v any more: the results take their place
    const int row = first_key + group * 64, result = group * 64 * D * 2;
    store_results<T, D>(&maps.results[0], memory + result, dk, p.scale, group, row, at.head, at.batch);
    store_results<T, D>(&maps.results[1], memory + KEY_TILE + result, dv, 1, group, row, at.head, at.batch);
#endif
}

// Scales what the blocks have added up, and stores it in half precision. A lane has two columns of 64, a warp two rows.
template <class T, int D>
__global__ void __launch_bounds__(256) hopper_scale_kernel(Heads<T> grad_q, const float4* sums, Problem p) {
    const Place at = place_of(blockIdx.x, tiles_of(p.queries, 64), p.heads);
    const int64_t head = int64_t(at.batch) * p.heads + at.head;
    const float4* const squares = sums + (head * squares_of<D>(p) + at.tile * (D / 64)) * (SQUARE / 4);
    const int lane = int(threadIdx.x) % 32;
    for (int i = int(threadIdx.x) / 32; i < D / 2; i += 8) {
        const int square = i % (D / 64), eighth = i / (D / 64) % 8, warp = i / (D / 64) / 8;
        const float4 x = squares[square * (SQUARE / 4) + lane / 4 * 128 + warp * 32 + eighth * 4 + lane % 4];
        const int query = at.tile * 64 + warp * 16 + eighth, column = square * 64 + lane * 2;
        const auto to = [&](int row) {
            return reinterpret_cast<uint32_t*>(grad_q.row(at.batch, at.head, row) + column);
        };
        if (query < p.queries) pack_pair(*to(query), x.x * p.scale, x.y * p.scale, T());
        if (query + 8 < p.queries) pack_pair(*to(query + 8), x.z * p.scale, x.w * p.scale, T());
    }
}

// ---- the launch ----------------------------------------------------------------------------------------------------

int64_t hopper_backward_floats(const Problem& p, bool deterministic) {
    return int64_t(p.batches) * p.heads * room_for_queries(p.queries) * (2 + (deterministic ? 0 : p.elements));
}

template <class T, int D>
static void launch(Heads<T> grad_q, Heads<T> grad_k, Heads<T> grad_v, Heads<const T> grad, Heads<const T> q,
                   Heads<const T> k, Heads<const T> v, Heads<const T> out, const float* lse, float* room, Problem p,
                   bool deterministic, cudaStream_t stream) {
    const int64_t heads = int64_t(p.batches) * p.heads, key_heads = heads / p.group;
    const int padded = int(room_for_queries(p.queries));
    float2* const of_query = reinterpret_cast<float2*>(room);
    float* const sums = room + 2 * heads * padded;
    const auto of_queries = [&](const auto& x, int tile) {
        return map_of_tiles(x, p.batches, p.heads, p.queries, D, tile);
    };
    const auto of_keys = [&](const auto& x, int tile) {
        return map_of_tiles(x, p.batches, p.heads / p.group, p.keys, D, tile);
    };
    launch_tiles(hopper_delta_kernel<T, D>, padded, 2048 / D, heads, 256, 0, stream, of_query, grad, out, lse, p);

    constexpr int N = QUERIES<D>, BYTES = 2 * (2 * KEYS * D + 2 * STAGES * N * D);
    const BackwardMaps maps = {of_queries(q, N),
                               of_keys(k, KEYS),
                               of_keys(v, KEYS),
                               of_queries(grad, N),
                               {of_keys(grad_k, 64), of_keys(grad_v, 64)}};
    if (!deterministic) {
        CHECK_CUDA(cudaMemsetAsync(sums, 0, size_t(heads) * padded * D * sizeof(float), stream));
        launch_tiles(hopper_key_kernel<T, D, true>, p.keys, KEYS, key_heads, BLOCK_THREADS, BYTES + 2 * 2 * KEYS * N,
                     stream, maps, static_cast<const float2*>(of_query), sums, p);
        launch_tiles(hopper_scale_kernel<T, D>, p.queries, 64, heads, 256, 0, stream, grad_q,
                     reinterpret_cast<const float4*>(sums), p);
        return;
    }
    launch_tiles(hopper_key_kernel<T, D, false>, p.keys, KEYS, key_heads, BLOCK_THREADS, BYTES, stream, maps,
                 static_cast<const float2*>(of_query), sums, p);
    launch_grad_q<T, D>(grad_q, of_query, grad, q, k, v, p, stream);
}

template <class T>
void launch_hopper_backward(Heads<T> grad_q, Heads<T> grad_k, Heads<T> grad_v, Heads<const T> grad, Heads<const T> q,
                            Heads<const T> k, Heads<const T> v, Heads<const T> out, const float* lse, float* room,
                            Problem p, bool deterministic, cudaStream_t stream) {
    (p.elements == 64 ? launch<T, 64> : launch<T, 128>)(grad_q, grad_k, grad_v, grad, q, k, v, out, lse, room, p,
                                                        deterministic, stream);
}

#define FOR_TYPE(T)                                                                                                    \
    template void launch_hopper_backward(Heads<T>, Heads<T>, Heads<T>, Heads<const T>, Heads<const T>, Heads<const T>, \
                                         Heads<const T>, Heads<const T>, const float*, float*, Problem, bool,          \
                                         cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
