// triple.cu: each element times three.
#include "triple.h"

#include "common/cuda_check.h"

// your code
__global__ void triple_kernel(int64_t* out, const int64_t* in, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3 * in[i];
}

void launch_triple(int64_t* out, const int64_t* in, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int threads = 128;
    const int64_t blocks = (n + threads - 1) / threads;
    triple_kernel<<<unsigned(blocks), threads, 0, stream>>>(out, in, n);
    CHECK_LAUNCH();
}
// end of your code
