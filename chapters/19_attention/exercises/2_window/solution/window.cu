// window.cu: attention by an online softmax. A warp has a query, and takes 32 keys at a time.
#include "window.h"

#include <cmath>

#include "common/cuda_check.h"

__global__ void window_kernel(float* out, const float* q, const float* k, const float* v, int rows, int width) {
    const int lane = int(threadIdx.x), query = int(blockIdx.x);
    const float mine = q[query * 32 + lane];
    float maximum = -INFINITY, sum = 0, o = 0;
    // your code
    const int begin = max(0, query - width + 1);
    for (int first = begin; first <= query; first += 32) {
        const int key = first + lane;
        const bool seen = key <= query;
        // end of your code
        float score = 0;
        for (int i = 0; i < 32; i++) score += __shfl_sync(~0u, mine, i) * (seen ? k[key * 32 + i] : 0);
        if (!seen) score = -INFINITY;
        float larger = fmaxf(maximum, score);
        for (int apart = 16; apart > 0; apart /= 2) larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, apart));
        const float base = larger == -INFINITY ? 0 : larger;
        const float weight = expf(score - base), shrink = expf(maximum - base);
        maximum = larger;
        sum = sum * shrink + weight;
        o *= shrink;
        for (int j = 0; j < 32; j++)  // a key of weight 0 may lie past the end
            if (const float of_key = __shfl_sync(~0u, weight, j); of_key > 0) o += of_key * v[(first + j) * 32 + lane];
    }
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    out[query * 32 + lane] = o / sum;
}

void launch_window(float* out, const float* q, const float* k, const float* v, int rows, int width,
                   cudaStream_t stream) {
    if (rows == 0) return;
    window_kernel<<<unsigned(rows), 32, 0, stream>>>(out, q, k, v, rows, width);
    CHECK_LAUNCH();
}
