// product.cu: a @ b.T on tensor cores. A block is one warp, and has 16 x 8 results.
#include "product.h"

#include "common/cuda_check.h"
#include "device/pack.h"
#include "device/ptx_mma.h"

// Elements p[0] and p[1] in one register.
__device__ uint32_t pair(const __half* p) { return as<uint32_t>(*reinterpret_cast<const __half2*>(p)); }

__global__ void product_kernel(float* out, const __half* a, const __half* b, int n, int k) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    const int lane = int(threadIdx.x), row = int(blockIdx.y) * 16, column = int(blockIdx.x) * 8;
    float sums[4] = {};
    for (int l = 0; l < k; l += 16) {
        uint32_t x[4] = {}, y[2] = {};  // the lane's fragments of a and of b
        // your code
        // end of your code
        multiply<__half>(sums, x, y[0], y[1]);
    }
    // your code
    // end of your code
#endif
}

void launch_product(float* out, const __half* a, const __half* b, int m, int n, int k, cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    product_kernel<<<dim3(unsigned(n / 8), unsigned(m / 16)), 32, 0, stream>>>(out, a, b, n, k);
    CHECK_LAUNCH();
}
