// swap.cu: red and blue change places, in four pixels a thread.
#include "swap.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// A pixel's four bytes in a word, with red and blue in each other's places.
__device__ unsigned swapped(unsigned pixel) {
    // your code
    return pixel;
    // end of your code
}

__global__ void swap_kernel(uint4* rgba, const uint4* bgra, int64_t n4) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    const uint4 pixels = bgra[i];
    rgba[i] = make_uint4(swapped(pixels.x), swapped(pixels.y), swapped(pixels.z), swapped(pixels.w));
}

void launch_swap(uint8_t* rgba, const uint8_t* bgra, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int threads = 256;
    swap_kernel<<<blocks_for(n / 4, threads), threads, 0, stream>>>(reinterpret_cast<uint4*>(rgba),
                                                                    reinterpret_cast<const uint4*>(bgra), n / 4);
    CHECK_LAUNCH();
}
