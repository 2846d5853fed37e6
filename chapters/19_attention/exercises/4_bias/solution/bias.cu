// bias.cu: attention by an online softmax. A warp has a query, and takes 32 keys at a time.
#include "bias.h"

#include <cmath>

#include "common/cuda_check.h"

constexpr float SCALE = 0.17677669f;  // 1 / sqrt(32)

__global__ void bias_kernel(float* out, const float* q, const float* k, const float* v, const float* bias, int keys) {
    const int lane = int(threadIdx.x), query = int(blockIdx.x);
    const float mine = q[query * 32 + lane];
    float maximum = -INFINITY, sum = 0, o = 0;
    for (int first = 0; first < keys; first += 32) {
        const int key = first + lane;
        const bool exists = key < keys;
        float score = 0;
        for (int i = 0; i < 32; i++) score += __shfl_sync(~0u, mine, i) * (exists ? k[key * 32 + i] : 0);
        // your code
        score = exists ? score * SCALE + bias[query * keys + key] : -INFINITY;
        // end of your code
        float larger = fmaxf(maximum, score);
        for (int apart = 16; apart > 0; apart /= 2) larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, apart));
        // your code
        const float base = larger == -INFINITY ? 0 : larger;
        const float weight = expf(score - base), shrink = expf(maximum - base);
        // end of your code
        maximum = larger;
        sum = sum * shrink + weight;
        o *= shrink;
        for (int j = 0; j < 32; j++)  // a key of weight 0 may lie past the end
            if (const float of_key = __shfl_sync(~0u, weight, j); of_key > 0) o += of_key * v[(first + j) * 32 + lane];
    }
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    // your code
    out[query * 32 + lane] = sum == 0 ? 0 : o / sum;
    // end of your code
}

void launch_bias(float* out, const float* q, const float* k, const float* v, const float* bias, int queries, int keys,
                 cudaStream_t stream) {
    if (queries == 0) return;
    bias_kernel<<<unsigned(queries), 32, 0, stream>>>(out, q, k, v, bias, keys);
    CHECK_LAUNCH();
}
