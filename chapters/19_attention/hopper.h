// hopper.h: what the kernels for compute capability 9.0 share: tiles that TMA brings, products that wgmma starts, and
// the softmax of sums as wgmma leaves them.
#pragma once
#include "common/tensor_map.h"
#include "device/hopper.h"
#include "tiles.h"

// A tile of rows of D numbers lies in shared memory as D / 64 columns, one after another, of rows of 64 numbers: 128
// bytes, swizzled as TMA writes them. It begins at a multiple of 1024 bytes.
constexpr int COLUMN = 64, ROW_BYTES = COLUMN * 2;

// Tells TMA of a tensor [batches, heads, rows, D], for tiles of `tile` rows. Where a dimension has one element, its
// stride may be anything, and TMA never uses it.
template <class T>
CUtensorMap map_of_tiles(const Heads<T>& x, int batches, int heads, int rows, int D, int tile) {
    const int64_t strides[] = {rows > 1 ? x.row_stride : COLUMN, COLUMN, heads > 1 ? x.head_stride : COLUMN,
                               batches > 1 ? x.batch_stride : COLUMN};
    return tensor_map(x.data, {COLUMN, rows, D / COLUMN, heads, batches}, strides, {COLUMN, tile, D / COLUMN, 1, 1});
}

struct Maps {
    CUtensorMap out, q, k, v;
};

// For tiles of so many queries and of so many keys.
template <class T>
Maps maps_of(const Heads<T>& out, const Heads<const T>& q, const Heads<const T>& k, const Heads<const T>& v,
             const Problem& p, int queries, int keys) {
    const auto of_queries = [&](const auto& x) {
        return map_of_tiles(x, p.batches, p.heads, p.queries, p.elements, queries);
    };
    const auto of_keys = [&](const auto& x) {
        return map_of_tiles(x, p.batches, p.heads / p.group, p.keys, p.elements, keys);
    };
    return {of_queries(out), of_queries(q), of_keys(k), of_keys(v)};
}

#ifdef HAS_WGMMA
__device__ inline void wait(const uint64_t& barrier, int parity) { wait_for_phase(address_of(&barrier), parity); }
__device__ inline void arrive(const uint64_t& barrier) { mbarrier_arrive(address_of(&barrier)); }

// Starts the copy of a whole tile, of which `full` counts the bytes. Rows past the end become zeros.
template <class T, int N>
__device__ void load_tile(T (&tile)[N], const CUtensorMap& map, const uint64_t& full, int row, int head, int batch) {
    mbarrier_arrive_expect(address_of(&full), int(sizeof tile));
    tma_load(address_of(tile), &map, 0, row, 0, head, batch, address_of(&full));
}

// Starts s = a @ b^T. a: where 64 rows begin in a tile of A_ROWS rows; b: a tile of B_ROWS rows. An instruction takes
// 16 numbers of each row, which are 32 bytes.
template <class T, int D, int A_ROWS, int B_ROWS>
__device__ void start_rows_by_rows(float (&s)[B_ROWS / 2], uint32_t a, uint32_t b) {
    const uint64_t a_first = wgmma_descriptor(a, 0), b_first = wgmma_descriptor(b, 0);
    UNROLL for (int i = 0; i < D / 16; i++) {  // a descriptor counts in steps of 16 bytes
        const uint64_t a_part = a_first + (i / 4 * (A_ROWS * ROW_BYTES) + i % 4 * 32) / 16;
        const uint64_t b_part = b_first + (i / 4 * (B_ROWS * ROW_BYTES) + i % 4 * 32) / 16;
        if (i == 0)
            wgmma<T, false, false, false>(s, a_part, b_part);
        else
            wgmma<T, false, false>(s, a_part, b_part);
    }
}

// Starts o += p @ b. b: a tile of ROWS rows of as many numbers as o has columns. p: the left operand in registers. An
// instruction takes 16 rows of b, so that the next one begins ROW_BYTES steps of 16 bytes further.
template <class T, int ROWS, int SUMS>
__device__ void start_registers_by_columns(float (&o)[SUMS], const uint32_t (&p)[ROWS / 4], uint32_t b) {
    const uint64_t first = wgmma_descriptor(b, ROWS * ROW_BYTES);
    UNROLL for (int i = 0; i < ROWS / 16; i++) wgmma_registers<T, true>(o, p + 4 * i, first + i * ROW_BYTES);
}

// Sums as a left operand in half precision: what a thread has of a result is what it must have of such an operand.
template <class T, int N>
__device__ void pack_sums(uint32_t (&p)[N / 2], const float (&s)[N]) {
    UNROLL for (int i = 0; i < N / 2; i++) pack_pair(p[i], s[2 * i], s[2 * i + 1], T());
}

// What a thread has of two rows of scores, `half` 0 and 1: s[i] with i / 2 % 2 == half is in column 8 * (i / 4) + i % 2
// from the thread's first column on. Four lanes share a row.
struct TwoRows {
    float maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {};  // the sum is that of this thread's keys
};

// Scores of keys after the last one that a row sees become -infinity. `last`: seen from the thread's first column.
template <int N>
__device__ void mask(float (&s)[N], int last, int last_8_further) {
    UNROLL for (int i = 0; i < N; i++) if (8 * (i / 4) + i % 2 > (i / 2 % 2 ? last_8_further : last)) s[i] = -INFINITY;
}

// Replaces scores by their exponentials. What was added up so far has to be multiplied by `shrink`.
template <int N>
__device__ void online_softmax(float (&s)[N], TwoRows& rows, float (&shrink)[2], float scale_2) {
    UNROLL for (int half = 0; half < 2; half++) {
        float larger = rows.maximum[half];
        UNROLL for (int i = 2 * half; i < N; i += 4) larger = fmaxf(larger, fmaxf(s[i], s[i + 1]));
        larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, 1));
        larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, 2));
        const float base = larger == -INFINITY ? 0 : larger * scale_2;
        shrink[half] = power_of_2(rows.maximum[half] * scale_2 - base);
        rows.maximum[half] = larger;
        rows.sum[half] *= shrink[half];
        UNROLL for (int i = 2 * half; i < N; i += 4) {
            s[i] = power_of_2(s[i] * scale_2 - base), s[i + 1] = power_of_2(s[i + 1] * scale_2 - base);
            rows.sum[half] += s[i] + s[i + 1];
        }
    }
}

template <int N>
__device__ void multiply_rows(float (&o)[N], const float (&factor)[2]) {
    UNROLL for (int i = 0; i < N; i++) o[i] *= factor[i / 2 % 2];
}

// After the last keys: divides what was added up by the sum of the weights, and stores the log-sum-exp. `lse`: that of
// the head's queries; `query`: that of the thread's first row, and the second is the eighth after it.
template <int N>
__device__ void finish_rows(float (&o)[N], const TwoRows& rows, float* lse, int query, const Problem& p) {
    float inverse[2];
    UNROLL for (int half = 0; half < 2; half++) {
        float sum = rows.sum[half];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        inverse[half] = sum == 0 ? 0 : 1 / sum;
        if (threadIdx.x % 4 == 0 && query + half * 8 < p.queries)
            lse[query + half * 8] = rows.maximum[half] * p.scale + logf(sum);
    }
    multiply_rows(o, inverse);
}

// Writes a thread's sums into a tile of ROWS rows, from where TMA can store them; `row` is the first of its two rows.
// The swizzle: 16 bytes number i of row r lie where number i ^ (r % 8) would lie.
template <class T, int ROWS, int N>
__device__ void write_tile(void* tile, int row, const float (&o)[N]) {
    const int lane = int(threadIdx.x) % 32;
    char* const my_row = static_cast<char*>(tile) + row * ROW_BYTES + lane % 4 * 4;
    UNROLL for (int i = 0; i < N; i += 2) {
        char* const to = my_row + (i / 32 * ROWS + i / 2 % 2 * 8) * ROW_BYTES + (i / 4 % 8 ^ lane / 4) * 16;
        pack_pair(*reinterpret_cast<uint32_t*>(to), o[i], o[i + 1], T());
    }
}
#endif
