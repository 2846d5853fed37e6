// pitfalls.cu: attention with one mistake each. test_attention.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include <cmath>

#include "common/cuda_check.h"

enum class Without { MASK, SHRINK, GUARD, BARRIER };

constexpr int WARPS = 4, D = 32;

// A warp a query, a lane a key, as chapter 19's step simple.
template <Without WHAT>
__global__ void kernel(float* out, const float* q, const float* k, const float* v, int queries, int keys) {
    __shared__ float k_rows[32][D + 1], v_rows[32][D];
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32, query = int(blockIdx.x) * WARPS + warp;
    float maximum = -INFINITY, sum = 0, o = 0;
    for (int first = 0; first < keys; first += 32) {
        if (WHAT != Without::BARRIER) __syncthreads();
        for (int row = warp; row < 32; row += WARPS) {  // past the end are zeros
            k_rows[row][lane] = first + row < keys ? k[(first + row) * D + lane] : 0;
            v_rows[row][lane] = first + row < keys ? v[(first + row) * D + lane] : 0;
        }
        __syncthreads();
        float score = 0;
        for (int i = 0; i < D && query < queries; i++) score += q[query * D + i] * k_rows[lane][i];
        if (WHAT != Without::MASK && first + lane >= keys) score = -INFINITY;
        float larger = fmaxf(maximum, score);
        for (int apart = 16; apart > 0; apart /= 2) larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, apart));
        const float base = WHAT != Without::GUARD && larger == -INFINITY ? 0 : larger;
        const float weight = expf(score - base), shrink = WHAT == Without::SHRINK ? 1 : expf(maximum - base);
        maximum = larger;
        sum = sum * shrink + weight;
        o *= shrink;
        for (int j = 0; j < 32; j++) o += __shfl_sync(~0u, weight, j) * v_rows[j][lane];
    }
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    if (query < queries) out[query * D + lane] = sum == 0 ? 0 : o / sum;
}

template <Without WHAT>
static void launch(float* out, const float* q, const float* k, const float* v, int queries, int keys,
                   cudaStream_t stream) {
    kernel<WHAT><<<(queries + WARPS - 1) / WARPS, WARPS * 32, 0, stream>>>(out, q, k, v, queries, keys);
    CHECK_LAUNCH();
}

void no_mask(float* out, const float* q, const float* k, const float* v, int queries, int keys, cudaStream_t stream) {
    launch<Without::MASK>(out, q, k, v, queries, keys, stream);
}
void no_shrink(float* out, const float* q, const float* k, const float* v, int queries, int keys, cudaStream_t stream) {
    launch<Without::SHRINK>(out, q, k, v, queries, keys, stream);
}
void no_guard(float* out, const float* q, const float* k, const float* v, int queries, int keys, cudaStream_t stream) {
    launch<Without::GUARD>(out, q, k, v, queries, keys, stream);
}
void no_barrier(float* out, const float* q, const float* k, const float* v, int queries, int keys,
                cudaStream_t stream) {
    launch<Without::BARRIER>(out, q, k, v, queries, keys, stream);
}
