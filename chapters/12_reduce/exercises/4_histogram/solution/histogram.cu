// histogram.cu: how often each value occurs; the lanes of a warp that have the same value add once.
#include "histogram.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int threads = 128;

__global__ void histogram_kernel(int* counts, const uint8_t* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x;
    // your code
    const int value = i < n ? x[i] : -1;  // no element has -1
    const unsigned same = __match_any_sync(~0u, value);
    const int first = __ffs(int(same)) - 1;  // the first of these lanes
    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));
    // end of your code
}

void launch_histogram(int* counts, const uint8_t* x, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    histogram_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(counts, x, n);
    CHECK_LAUNCH();
}
