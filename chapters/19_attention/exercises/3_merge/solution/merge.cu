// merge.cu: joins the attention of two halves of the keys. A warp has a row.
#include "merge.h"

#include <cmath>

#include "common/cuda_check.h"

__global__ void merge_kernel(float* out, float* lse, const float* a, const float* a_lse, const float* b,
                             const float* b_lse) {
    const int row = int(blockIdx.x), lane = int(threadIdx.x), i = row * 32 + lane;
    // your code
    const float larger = fmaxf(a_lse[row], b_lse[row]), base = larger == -INFINITY ? 0 : larger;
    const float of_a = expf(a_lse[row] - base), of_b = expf(b_lse[row] - base), sum = of_a + of_b;
    out[i] = sum == 0 ? 0 : (of_a * a[i] + of_b * b[i]) / sum;
    if (lane == 0) lse[row] = larger + logf(sum);
    // end of your code
}

void launch_merge(float* out, float* lse, const float* a, const float* a_lse, const float* b, const float* b_lse,
                  int rows, cudaStream_t stream) {
    if (rows == 0) return;
    merge_kernel<<<unsigned(rows), 32, 0, stream>>>(out, lse, a, a_lse, b, b_lse);
    CHECK_LAUNCH();
}
