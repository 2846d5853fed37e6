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
    (void)across;
    // end of your code
#endif
}

void launch_weight_grad(float* out, const __half* grad, const __half* x, int64_t m, int64_t n, int64_t k,
                        cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    weight_grad_kernel<<<blocks_for((m + 15) / 16 * ((n + 7) / 8), 1), 32, 0, stream>>>(out, grad, x, m, n, k);
    CHECK_LAUNCH();
}
