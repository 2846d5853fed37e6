// attention.cu: attention without a matrix of scores, step by step: as the formula says it, then on tensor cores. Sums
// are float. No torch header in here.
#include "attention.h"
#include "device/number.h"
#include "tiles.h"

// ---- step simple: a warp a query, a lane a key ---------------------------------------------------------------------

constexpr int WARPS = 16, LANES = 32;

template <class T, int D>
__global__ void __launch_bounds__(WARPS* LANES)
    simple_kernel(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p) {
    __shared__ float q_rows[WARPS][D], k_rows[LANES][D + 1], v_rows[LANES][D];  // + 1: a column lies in all banks
    const int warp = int(threadIdx.x) / LANES, lane = int(threadIdx.x) % LANES;
    const Place at = place_of(blockIdx.x, tiles_of(p.queries, WARPS), p.heads);
    const int query = at.tile * WARPS + warp, last = last_key(query, p);
    for (int i = lane; i < D; i += LANES)
        q_rows[warp][i] = query < p.queries ? number(q.row(at.batch, at.head, query)[i]) * p.scale : 0;

    float maximum = -INFINITY, sum = 0, o[D / LANES] = {};  // lane l has elements l, l + 32, ... of the result
    for (int first = 0; first <= last_key(at.tile * WARPS + WARPS - 1, p); first += LANES) {
        __syncthreads();  // no thread needs the last step's rows any more
        for (int i = int(threadIdx.x); i < LANES * D; i += WARPS * LANES) {
            const int row = i / D, element = i % D;
            const bool there = first + row < p.keys;
            const int64_t head = at.head / p.group;
            k_rows[row][element] = there ? number(k.row(at.batch, head, first + row)[element]) : 0;
            v_rows[row][element] = there ? number(v.row(at.batch, head, first + row)[element]) : 0;
        }
        __syncthreads();
        float score = 0;  // of this warp's query and this lane's key
        for (int i = 0; i < D; i++) score += q_rows[warp][i] * k_rows[lane][i];
        if (first + lane > last) score = -INFINITY;

        float larger = fmaxf(maximum, score);
        for (int apart = 16; apart > 0; apart /= 2) larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, apart));
        const float base = larger == -INFINITY ? 0 : larger;  // no key so far: infinity - infinity would be NaN
        const float weight = fast_exp(score - base), shrink = fast_exp(maximum - base);
        maximum = larger;
        sum = sum * shrink + weight;  // of this lane's keys
        for (float& x : o) x *= shrink;
        for (int j = 0; j < LANES; j++) {
            const float of_key = __shfl_sync(~0u, weight, j);
            for (int i = 0; i < D / LANES; i++) o[i] += of_key * v_rows[j][i * LANES + lane];
        }
    }
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    if (query >= p.queries) return;
    T* const row = out.row(at.batch, at.head, query);
    for (int i = 0; i < D / LANES; i++) row[i * LANES + lane] = T(sum == 0 ? 0 : o[i] / sum);
    if (lane == 0) lse[(int64_t(at.batch) * p.heads + at.head) * p.queries + query] = maximum + logf(sum);
}

// ---- step portable: tensor cores, 128 queries a block, 32 a warp ---------------------------------------------------

// What a lane has of a row of scores: of row lane / 4 of 16 and of the eighth one after it.
struct Rows {
    float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {};  // the sum is that of this lane's keys
};

// Replaces scores by their exponentials, and shrinks what was added up so far where there is a larger maximum.
template <int N, int OUT>
__device__ void online_softmax(float (&s)[N][4], float (&o)[OUT][4], Rows& rows, float scale) {
    UNROLL for (int half = 0; half < 2; half++) {
        float larger = rows.maximum[half];
        UNROLL for (int n = 0; n < N; n++) larger = fmaxf(larger, fmaxf(s[n][2 * half], s[n][2 * half + 1]));
        larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, 1));  // four lanes share a row
        larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, 2));
        const float base = larger == -INFINITY ? 0 : larger * scale;
        const float shrink = power_of_2(rows.maximum[half] * scale - base);
        rows.maximum[half] = larger;
        rows.sum[half] *= shrink;
        UNROLL for (int n = 0; n < N; n++) UNROLL for (int i = 2 * half; i < 2 * half + 2; i++) rows.sum[half] +=
            s[n][i] = power_of_2(s[n][i] * scale - base);
        UNROLL for (int n = 0; n < OUT; n++) UNROLL for (int i = 2 * half; i < 2 * half + 2; i++) o[n][i] *= shrink;
    }
}

constexpr int QUERIES = 128, KEYS = 64;

template <class T, int D>
__global__ void __launch_bounds__(THREADS)
    portable_kernel(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p) {
#ifdef TENSOR_CORES
    using Tile = Tile<T, D>;
    extern __shared__ __align__(1024) char memory[];
    const uint32_t q_tile = address_of(memory), k_tile = q_tile + QUERIES * Tile::ROW;
    const uint32_t v_tile = k_tile + KEYS * Tile::ROW;
    const int tiles = tiles_of(p.queries, QUERIES), lane = int(threadIdx.x) % 32, my_row = int(threadIdx.x) / 32 * 32;
    const Place at = place_of(blockIdx.x, tiles, p.heads);
    const int first_query = (tiles - 1 - at.tile) * QUERIES;  // the last queries see most keys: they come first
    const int seen_by_all = last_key(first_query + my_row, p);
    const auto copy = [&](uint32_t tile, const Heads<const T>& rows, int first) {
        Tile::template copy<KEYS>(tile, rows.row(at.batch, at.head / p.group, first), rows.row_stride, p.keys - first);
        commit_copies();
    };

    float o[2][D / 8][4] = {};
    Rows rows[2];
    // From the last keys to the first. A query without keys gets 0.
    int first = last_key(first_query + QUERIES - 1, p) / KEYS * KEYS;
    Tile::template copy<QUERIES>(q_tile, q.row(at.batch, at.head, first_query), q.row_stride, p.queries - first_query);
    copy(k_tile, k, first);
    for (; first >= 0; first -= KEYS) {
        wait_for_copies<0>();  // this thread's part of k
        __syncthreads();       // k has come, for all threads, and no thread needs v any more
        copy(v_tile, v, first);
        float s[2][KEYS / 8][4] = {};
        add_rows_by_rows<T, D>(s, Tile::left(q_tile, my_row), Tile::right(k_tile));
        UNROLL for (int m = 0; m < 2; m++) {
            if (first + KEYS - 1 > seen_by_all)
                UNROLL for (int n = 0; n < KEYS / 8; n++) UNROLL for (int i = 0; i < 4; i++) {
                    const int query = first_query + my_row + m * 16 + lane / 4 + i / 2 * 8;
                    if (first + n * 8 + lane % 4 * 2 + i % 2 > last_key(query, p)) s[m][n][i] = -INFINITY;
                }
            online_softmax(s[m], o[m], rows[m], p.scale_2);
        }
        wait_for_copies<0>();  // this thread's part of v
        __syncthreads();       // v has come, and no thread needs k any more
        if (first > 0) copy(k_tile, k, first - KEYS);
        add_result_by_columns<T, D>(o, s, Tile::right_transposed(v_tile));
    }

    UNROLL for (int m = 0; m < 2; m++) UNROLL for (int half = 0; half < 2; half++) {
        float sum = rows[m].sum[half];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        const int query = first_query + my_row + m * 16 + half * 8 + lane / 4;
        if (query >= p.queries) continue;
        store_row(out.row(at.batch, at.head, query), o[m], half, sum == 0 ? 0 : 1 / sum);
        if (lane % 4 == 0)
            lse[(int64_t(at.batch) * p.heads + at.head) * p.queries + query] =
                rows[m].maximum[half] * p.scale + logf(sum);
    }
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

template <class T, int D>
static void launch(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                   AttentionStep step, int* given_out, cudaStream_t stream) {
    const int64_t heads = int64_t(p.batches) * p.heads;
    if (step == AttentionStep::automatic || step > AttentionStep::portable) {
        const std::string why_not = why_no_hopper();
        if (step != AttentionStep::automatic && !why_not.empty())
            throw std::runtime_error(std::string("step ") + STEP_NAMES[int(step)] + " is not possible: " + why_not +
                                     "; auto takes another step");
        if (step == AttentionStep::automatic)
            step = why_not.empty()             ? AttentionStep::hopper
                   : compute_capability() >= 8 ? AttentionStep::portable
                                               : AttentionStep::simple;
    }
    if (step > AttentionStep::portable && p.keys > 0)  // TMA knows no tensor of 0 rows
        // hopper_1 is the step after hopper: one group more.
        return step < AttentionStep::hopper
                   ? launch_attention_ladder(out, lse, q, k, v, p, step, stream)
                   : launch_hopper_forward(out, lse, q, k, v, p, int(step) - int(AttentionStep::hopper), given_out,
                                           stream);
    if (step == AttentionStep::simple)
        return launch_tiles(simple_kernel<T, D>, p.queries, WARPS, heads, WARPS * LANES, 0, stream, out, lse, q, k, v,
                            p);
    if (compute_capability() < 8) throw std::runtime_error("step portable needs a GPU of compute capability 8.0");
    launch_tiles(portable_kernel<T, D>, p.queries, QUERIES, heads, THREADS, (QUERIES + 2 * KEYS) * Tile<T, D>::ROW,
                 stream, out, lse, q, k, v, p);
}

template <class T>
void launch_attention(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                      AttentionStep step, int* given_out, cudaStream_t stream) {
    (p.elements == 64 ? launch<T, 64> : launch<T, 128>)(out, lse, q, k, v, p, step, given_out, stream);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                                           \
    template void launch_attention(Heads<T>, float*, Heads<const T>, Heads<const T>, Heads<const T>, Problem, \
                                   AttentionStep, int*, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
