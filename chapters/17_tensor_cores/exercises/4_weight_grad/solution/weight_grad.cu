// weight_grad.cu: grad.T @ x on tensor cores. A block is one warp, and has 16 x 8 results.
#include "weight_grad.h"

#include "common/cuda_check.h"
#include "common/grid.h"
#include "device/pack.h"
#include "device/ptx_mma.h"

// Block b has the results of 16 rows and 8 columns from (b / across * 16, b % across * 8) on.
__global__ void weight_grad_kernel(float* out, const __half* grad, const __half* x, int64_t m, int64_t n, int64_t k) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    const int64_t across = (n + 7) / 8;
    // your code
    const int lane = int(threadIdx.x), pair = lane % 4 * 2;
    const int64_t row = blockIdx.x / across * 16 + lane / 4, column = blockIdx.x % across * 8;
    const auto two = [&](const __half* of, int64_t columns, int64_t l, int64_t c) {
        __half elements[2];
        for (int i = 0; i < 2; i++) elements[i] = l + i < k && c < columns ? of[(l + i) * columns + c] : __half(0.f);
        return as<uint32_t>(elements);
    };
    float sums[4] = {};
    for (int64_t l = 0; l < k; l += 16) {
        uint32_t a[4], b[2];
        for (int i = 0; i < 4; i++) a[i] = two(grad, m, l + pair + i / 2 * 8, row + i % 2 * 8);
        for (int i = 0; i < 2; i++) b[i] = two(x, n, l + pair + i * 8, column + lane / 4);
        multiply<__half>(sums, a, b[0], b[1]);
    }
    for (int i = 0; i < 4; i++) {
        const int64_t r = row + i / 2 * 8, c = column + pair + i % 2;
        if (r < m && c < n) out[r * n + c] = sums[i];
    }
    // end of your code
#endif
}

void launch_weight_grad(float* out, const __half* grad, const __half* x, int64_t m, int64_t n, int64_t k,
                        cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    weight_grad_kernel<<<blocks_for((m + 15) / 16 * ((n + 7) / 8), 1), 32, 0, stream>>>(out, grad, x, m, n, k);
    CHECK_LAUNCH();
}
