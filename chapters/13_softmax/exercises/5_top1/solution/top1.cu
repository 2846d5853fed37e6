// top1.cu: the largest element of each row, and its place. A block for each row.
#include "top1.h"

#include <cmath>

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int threads = 64;

// your code
struct Top {
    float value;
    int64_t index;
};

// The larger one; of two equal ones the one that lies first. NaN is larger than all numbers.
__device__ Top better(Top a, Top b) {
    const bool both = isnan(a.value) && isnan(b.value);
    if (a.value == b.value || both) return a.index < b.index ? a : b;
    return a.value > b.value || isnan(a.value) ? a : b;
}

__global__ void top1_kernel(float* values, int64_t* indices, const float* x, int64_t n) {
    __shared__ Top tops[threads / 32];
    const int t = int(threadIdx.x);
    x += blockIdx.x * n;
    Top top = {-INFINITY, n};  // after all elements
    for (int64_t i = t; i < n; i += threads) top = better(top, {x[i], i});
    for (int distance = 16; distance > 0; distance /= 2) {
        const float value = __shfl_down_sync(~0u, top.value, distance);
        const int64_t index = __shfl_down_sync(~0u, top.index, distance);
        top = better(top, {value, index});
    }
    if (t % 32 == 0) tops[t / 32] = top;
    __syncthreads();
    if (t > 0) return;
    for (const Top of_warp : tops) top = better(top, of_warp);
    values[blockIdx.x] = top.value, indices[blockIdx.x] = top.index;
}
// end of your code

void launch_top1(float* values, int64_t* indices, const float* x, int64_t rows, int64_t n, cudaStream_t stream) {
    if (rows == 0) return;
    top1_kernel<<<blocks_for(rows, 1), threads, 0, stream>>>(values, indices, x, n);
    CHECK_LAUNCH();
}
