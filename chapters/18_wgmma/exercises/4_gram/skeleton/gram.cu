// gram.cu: the products of all pairs of columns of a matrix. A block makes a tile of 64 x 64.
#include "gram.h"

#include "chapters/18_wgmma/operand.h"

using bf16 = __nv_bfloat16;

__global__ void __launch_bounds__(128)
    gram_kernel(const __grid_constant__ CUtensorMap x, float* out, int rows, int columns) {
#ifdef HAS_WGMMA
    __shared__ __align__(1024) char a[BOX_BYTES], b[BOX_BYTES];
    __shared__ uint64_t barrier;
    const int left = int(blockIdx.x) * 64, top = int(blockIdx.y) * 64;  // columns of x from `top` and from `left` on
    float sums[32] = {};
    // Both operands are columns of x, so k runs down the rows, 64 in a box. Use tma_load(), wgmma_descriptor() and
    // wgmma<bf16, ?, ?>() of device/hopper.h. One box for each operand at a time is enough.
    // your code
    // end of your code
    const int row = top + int(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4), column = left + int(threadIdx.x % 4 * 2);
    for (int i = 0; i < 32; i++) out[(row + i / 2 % 2 * 8) * columns + column + i / 4 * 8 + i % 2] = sums[i];
#endif
}

void launch_gram(float* out, const bf16* x, int rows, int columns, cudaStream_t stream) {
    if (columns == 0) return;
    const Stored<bf16> matrix = {x, rows, columns, columns, 1, 0, false};
    gram_kernel<<<dim3(columns / 64, columns / 64), 128, 0, stream>>>(tensor_map(matrix), out, rows, columns);
    CHECK_LAUNCH();
}
