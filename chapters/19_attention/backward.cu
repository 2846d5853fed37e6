// backward.cu: the gradients of attention, on tensor cores and without a matrix of scores. With p = softmax(scale * q @
// k^T), each row of which is computed again from q, k and the lse:
//     grad_v = p^T @ grad     ds = p * (grad @ v^T - delta)     grad_q = scale * ds @ k     grad_k = scale * ds^T @ q
// where delta is the sum of out * grad in each row. No two threads add to one sum: the bits are the same each time.
#include "attention.h"
#include "device/number.h"
#include "tiles.h"

// ---- once for each query -------------------------------------------------------------------------------------------

// What the other kernels need of a query: its lse, in powers of 2, and delta. A query that sees no key has scores of
// -infinity alone, so with an lse of 0 its weights are 0. Past the end, grad is 0 and so adds nothing.
template <class T, int D>
__global__ void __launch_bounds__(THREADS)
    query_kernel(float2* of_query, Heads<const T> grad, Heads<const T> out, const float* lse, Problem p) {
    const int room = int(room_for_queries(p.queries)), lane = int(threadIdx.x) % 32;
    const Place at = place_of(blockIdx.x, unsigned(room) / 4, p.heads);
    const int query = at.tile * 4 + int(threadIdx.x) / 32;
    const int64_t head = int64_t(at.batch) * p.heads + at.head;
    float2 result = {};
    if (query < p.queries) {
        const T *x = out.row(at.batch, at.head, query), *y = grad.row(at.batch, at.head, query);
        for (int i = lane; i < D; i += 32) result.y += number(x[i]) * number(y[i]);
        for (int apart = 16; apart > 0; apart /= 2) result.y += __shfl_xor_sync(~0u, result.y, apart);
        const float logarithm = lse[head * p.queries + query];
        if (logarithm != -INFINITY) result.x = logarithm * LOG2_E;
    }
    if (lane == 0) of_query[head * room + query] = result;
}

// ---- the gradients of k and v --------------------------------------------------------------------------------------

// A block has some keys, and walks over all queries of all heads that share them. Scores are computed with keys as
// rows: then p^T and ds^T lie in registers just as the products with grad and q want their left operand, and nothing is
// ever transposed. While it computes, the next queries arrive.
constexpr int KEYS = 64, QUERIES = 64;

template <class T, int D>
__global__ void __launch_bounds__(THREADS)
    key_kernel(Heads<T> grad_k, Heads<T> grad_v, Heads<const T> grad, Heads<const T> q, Heads<const T> k,
               Heads<const T> v, const float2* of_query, Problem p) {
#ifdef TENSOR_CORES
    using Tile = Tile<T, D>;
    extern __shared__ __align__(1024) char memory[];
    const uint32_t k_tile = address_of(memory), v_tile = k_tile + KEYS * Tile::ROW;
    const uint32_t q_tiles = v_tile + KEYS * Tile::ROW, grad_tiles = q_tiles + 2 * QUERIES * Tile::ROW;
    float2* const numbers = reinterpret_cast<float2*>(memory + (2 * KEYS + 4 * QUERIES) * Tile::ROW);
    const int lane = int(threadIdx.x) % 32, my_row = int(threadIdx.x) / 32 * 16;
    const Place at = place_of(blockIdx.x, tiles_of(p.keys, KEYS), p.heads / p.group);
    const int first_key = at.tile * KEYS, first_tile = p.causal ? first_key / QUERIES : 0;
    const int tiles = max(0, tiles_of(p.queries, QUERIES) - first_tile), steps = tiles * p.group;
    const auto copy = [&](int step) {
        const int head = at.head * p.group + step / tiles, first = (first_tile + step % tiles) * QUERIES;
        const int stage = step % 2 * QUERIES, left = p.queries - first;
        const int64_t number = (int64_t(at.batch) * p.heads + head) * room_for_queries(p.queries) + first;
        Tile::template copy<QUERIES>(q_tiles + stage * Tile::ROW, q.row(at.batch, head, first), q.row_stride, left);
        Tile::template copy<QUERIES>(grad_tiles + stage * Tile::ROW, grad.row(at.batch, head, first), grad.row_stride,
                                     left);
        if (const int i = int(threadIdx.x) * 2; i < QUERIES)
            copy_16_bytes(address_of(numbers + stage + i), of_query + number + i, true);
        commit_copies();
    };

    float dk[1][D / 8][4] = {}, dv[1][D / 8][4] = {};
    Tile::template copy<KEYS>(k_tile, k.row(at.batch, at.head, first_key), k.row_stride, p.keys - first_key);
    Tile::template copy<KEYS>(v_tile, v.row(at.batch, at.head, first_key), v.row_stride, p.keys - first_key);
    if (steps > 0) copy(0);
    for (int step = 0; step < steps; step++) {
        wait_for_copies<0>();
        __syncthreads();  // this step's queries have come, for all threads, and no thread needs the last step's any
                          // more
        if (step + 1 < steps) copy(step + 1);
        const int stage = step % 2 * QUERIES, first_query = (first_tile + step % tiles) * QUERIES;
        const uint32_t q_tile = q_tiles + stage * Tile::ROW, grad_tile = grad_tiles + stage * Tile::ROW;

        float s[1][QUERIES / 8][4] = {}, dp[1][QUERIES / 8][4] = {};
        add_rows_by_rows<T, D>(s, Tile::left(k_tile, my_row), Tile::right(q_tile));
        add_rows_by_rows<T, D>(dp, Tile::left(v_tile, my_row), Tile::right(grad_tile));
        const bool mask = p.causal && first_key + my_row + 15 > first_query;
        UNROLL for (int n = 0; n < QUERIES / 8; n++) {
            const int query = n * 8 + lane % 4 * 2;  // this lane has its scores, and those of the next query
            const float4 two = as<float4>(*reinterpret_cast<const uint4*>(numbers + stage + query));
            UNROLL for (int i = 0; i < 4; i++) {
                float& weight = s[0][n][i];
                weight = power_of_2(weight * p.scale_2 - (i % 2 ? two.z : two.x));
                if (mask && first_key + my_row + lane / 4 + i / 2 * 8 > first_query + query + i % 2) weight = 0;
                dp[0][n][i] = weight * (dp[0][n][i] - (i % 2 ? two.w : two.y));  // ds
            }
        }
        add_result_by_columns<T, D>(dv, s, Tile::right_transposed(grad_tile));
        add_result_by_columns<T, D>(dk, dp, Tile::right_transposed(q_tile));
    }
    UNROLL for (int half = 0; half < 2; half++) {
        const int key = first_key + my_row + half * 8 + lane / 4;
        if (key >= p.keys) continue;
        store_row(grad_k.row(at.batch, at.head, key), dk[0], half, p.scale);
        store_row(grad_v.row(at.batch, at.head, key), dv[0], half, 1);
    }
#endif
}

// ---- the gradient of q ---------------------------------------------------------------------------------------------

// The same the other way: a block has 128 queries, and walks over the keys that they see.
constexpr int BLOCK_QUERIES = 128;
template <int D>
constexpr int STEP_KEYS = 4096 / D;  // as many as registers have room for

template <class T, int D>
__global__ void __launch_bounds__(THREADS)
    grad_q_kernel(Heads<T> grad_q, Heads<const T> grad, Heads<const T> q, Heads<const T> k, Heads<const T> v,
                  const float2* of_query, Problem p) {
#ifdef TENSOR_CORES
    using Tile = Tile<T, D>;
    constexpr int KEYS = STEP_KEYS<D>, N = KEYS / 8;
    extern __shared__ __align__(1024) char memory[];
    const uint32_t q_tile = address_of(memory), grad_tile = q_tile + BLOCK_QUERIES * Tile::ROW;
    const uint32_t stages = grad_tile + BLOCK_QUERIES * Tile::ROW;
    const int tiles = tiles_of(p.queries, BLOCK_QUERIES), lane = int(threadIdx.x) % 32;
    const int my_row = int(threadIdx.x) / 32 * 32;
    const Place at = place_of(blockIdx.x, tiles, p.heads);
    const int first_query = (tiles - 1 - at.tile) * BLOCK_QUERIES, left = p.queries - first_query;
    const int seen_by_all = last_key(first_query + my_row, p);
    const int steps = tiles_of(last_key(first_query + BLOCK_QUERIES - 1, p) + 1, KEYS);
    const auto copy = [&](int step) {
        const int first = step * KEYS, head = at.head / p.group;
        const uint32_t k_tile = stages + step % 2 * 2 * KEYS * Tile::ROW, v_tile = k_tile + KEYS * Tile::ROW;
        Tile::template copy<KEYS>(k_tile, k.row(at.batch, head, first), k.row_stride, p.keys - first);
        Tile::template copy<KEYS>(v_tile, v.row(at.batch, head, first), v.row_stride, p.keys - first);
        commit_copies();
    };

    float2 numbers[2][2];  // of this lane's four queries
    UNROLL for (int m = 0; m < 2; m++) UNROLL for (int half = 0; half < 2; half++) {
        const int query = first_query + my_row + m * 16 + half * 8 + lane / 4;
        const int64_t head = int64_t(at.batch) * p.heads + at.head;
        numbers[m][half] = {};
        if (query < p.queries) numbers[m][half] = of_query[head * room_for_queries(p.queries) + query];
    }
    float dq[2][D / 8][4] = {};
    Tile::template copy<BLOCK_QUERIES>(q_tile, q.row(at.batch, at.head, first_query), q.row_stride, left);
    Tile::template copy<BLOCK_QUERIES>(grad_tile, grad.row(at.batch, at.head, first_query), grad.row_stride, left);
    if (steps > 0) copy(0);
    for (int step = 0; step < steps; step++) {
        wait_for_copies<0>();
        __syncthreads();  // this step's keys have come, for all threads, and no thread needs the last step's any more
        if (step + 1 < steps) copy(step + 1);
        const uint32_t k_tile = stages + step % 2 * 2 * KEYS * Tile::ROW, v_tile = k_tile + KEYS * Tile::ROW;

        float s[2][N][4] = {}, dp[2][N][4] = {};
        add_rows_by_rows<T, D>(s, Tile::left(q_tile, my_row), Tile::right(k_tile));
        add_rows_by_rows<T, D>(dp, Tile::left(grad_tile, my_row), Tile::right(v_tile));
        const bool mask = step * KEYS + KEYS - 1 > seen_by_all;
        UNROLL for (int m = 0; m < 2; m++) UNROLL for (int n = 0; n < N; n++) UNROLL for (int i = 0; i < 4; i++) {
            const int query = first_query + my_row + m * 16 + lane / 4 + i / 2 * 8;
            const float2 of = numbers[m][i / 2];
            float weight = power_of_2(s[m][n][i] * p.scale_2 - of.x);
            if (mask && step * KEYS + n * 8 + lane % 4 * 2 + i % 2 > last_key(query, p)) weight = 0;
            dp[m][n][i] = weight * (dp[m][n][i] - of.y);  // ds
        }
        add_result_by_columns<T, D>(dq, dp, Tile::right_transposed(k_tile));
    }
    UNROLL for (int m = 0; m < 2; m++) UNROLL for (int half = 0; half < 2; half++) {
        const int query = first_query + my_row + m * 16 + half * 8 + lane / 4;
        if (query < p.queries) store_row(grad_q.row(at.batch, at.head, query), dq[m], half, p.scale);
    }
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

template <class T, int D>
static void launch(Heads<T> grad_q, Heads<T> grad_k, Heads<T> grad_v, Heads<const T> grad, Heads<const T> q,
                   Heads<const T> k, Heads<const T> v, Heads<const T> out, const float* lse, float2* room, Problem p,
                   cudaStream_t stream) {
    if (compute_capability() < 8) throw std::runtime_error("the gradients need a GPU of compute capability 8.0");
    constexpr int row = Tile<T, D>::ROW;
    const int64_t heads = int64_t(p.batches) * p.heads, key_heads = heads / p.group;
    launch_tiles(query_kernel<T, D>, int(room_for_queries(p.queries)), THREADS / 32, heads, THREADS, 0, stream, room,
                 grad, out, lse, p);
    launch_tiles(key_kernel<T, D>, p.keys, KEYS, key_heads, THREADS,
                 (2 * KEYS + 4 * QUERIES) * row + 2 * QUERIES * int(sizeof(float2)), stream, grad_k, grad_v, grad, q, k,
                 v, static_cast<const float2*>(room), p);
    launch_tiles(grad_q_kernel<T, D>, p.queries, BLOCK_QUERIES, heads, THREADS,
                 (2 * BLOCK_QUERIES + 4 * STEP_KEYS<D>)*row, stream, grad_q, grad, q, k, v,
                 static_cast<const float2*>(room), p);
}

template <class T>
void launch_attention_backward(Heads<T> grad_q, Heads<T> grad_k, Heads<T> grad_v, Heads<const T> grad, Heads<const T> q,
                               Heads<const T> k, Heads<const T> v, Heads<const T> out, const float* lse, float2* room,
                               Problem p, cudaStream_t stream) {
    (p.elements == 64 ? launch<T, 64> : launch<T, 128>)(grad_q, grad_k, grad_v, grad, q, k, v, out, lse, room, p,
                                                        stream);
}

#define FOR_TYPE(T)                                                                                                \
    template void launch_attention_backward(Heads<T>, Heads<T>, Heads<T>, Heads<const T>, Heads<const T>,          \
                                            Heads<const T>, Heads<const T>, Heads<const T>, const float*, float2*, \
                                            Problem, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
