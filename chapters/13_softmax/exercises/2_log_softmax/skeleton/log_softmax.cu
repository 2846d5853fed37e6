// log_softmax.cu: the logarithm of the softmax of each row, a warp for each row.
#include "log_softmax.h"

#include <cmath>

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int elements = 16;  // that a lane keeps in its registers
constexpr int warps = 4;      // of a block

// All 32 lanes call these, and all get the result.
__device__ float warp_max(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, apart));
    return value;
}

__device__ float warp_sum(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

__global__ void log_softmax_kernel(float* out, const float* x, int64_t rows, int n) {
    const int64_t row = int64_t(blockIdx.x) * warps + threadIdx.y;
    if (row >= rows) return;  // the whole warp
    const int lane = int(threadIdx.x);
    out += row * n, x += row * n;
    float values[elements];
    for (int k = 0; k < elements; k++) values[k] = lane + 32 * k < n ? x[lane + 32 * k] : -INFINITY;
    // your code
    // end of your code
    for (int k = 0; k < elements; k++)
        if (lane + 32 * k < n) out[lane + 32 * k] = values[k];
}

void launch_log_softmax(float* out, const float* x, int64_t rows, int n, cudaStream_t stream) {
    if (rows == 0) return;
    log_softmax_kernel<<<blocks_for(rows, warps), dim3(32, warps), 0, stream>>>(out, x, rows, n);
    CHECK_LAUNCH();
}
