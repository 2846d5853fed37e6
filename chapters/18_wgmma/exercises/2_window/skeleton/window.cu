// window.cu: copies a window out of a matrix. TMA reads it.
#include "window.h"

#include "chapters/18_wgmma/operand.h"

using bf16 = __nv_bfloat16;

__global__ void __launch_bounds__(128)
    window_kernel(const __grid_constant__ CUtensorMap x, bf16* out, int row, int column) {
#ifdef HAS_WGMMA
    __shared__ __align__(1024) uint4 box[64][8];  // 64 rows of eight pieces of 16 bytes
    __shared__ uint64_t barrier;
    // An mbarrier, and one copy by tma_load() of device/hopper.h. Then all threads must know that the box has come.
    // your code
    // end of your code
    uint4* to = reinterpret_cast<uint4*>(out);
    for (int i = int(threadIdx.x); i < 64 * 8; i += 128) {
        const int y = i / 8, piece = i % 8;
        // TMA has swizzled the box: where is this piece of row y?
        // your code
        to[i] = box[y][piece];
        // end of your code
    }
#endif
}

void launch_window(bf16* out, const bf16* x, int rows, int columns, int row, int column, cudaStream_t stream) {
    const Stored<bf16> matrix = {x, rows, columns, columns, 1, 0, true};
    window_kernel<<<1, 128, 0, stream>>>(tensor_map(matrix), out, row, column);
    CHECK_LAUNCH();
}
