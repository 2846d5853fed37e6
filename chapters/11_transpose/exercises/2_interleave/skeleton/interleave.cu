// interleave.cu: three planes of an image, red, green and blue, become one array of pixels.
#include "interleave.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int threads = 256;  // of a block, and the pixels that it writes

__global__ void interleave_kernel(float* out, const float* in, int64_t n) {
    const int64_t first = int64_t(blockIdx.x) * threads;                       // the block's first pixel
    const int here = int(n - first < threads ? n - first : int64_t(threads));  // and how many it has
    const int t = int(threadIdx.x);
    // your code
    if (t < here)
        for (int c = 0; c < 3; c++) out[3 * (first + t) + c] = in[c * n + first + t];
    // end of your code
}

void launch_interleave(float* out, const float* in, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    interleave_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, in, n);
    CHECK_LAUNCH();
}
