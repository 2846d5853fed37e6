// turn.cu: transposes a matrix by ldmatrix. A block of four warps has a tile of 64 x 64 elements.
#include "turn.h"

#include "common/cuda_check.h"
#include "device/ptx_mma.h"

// Where pack number `pack` of a row of eight packs lies in shared memory.
__device__ int place(int row, int pack) {
    // your code
    return (void)row, pack;
    // end of your code
}

__global__ void turn_kernel(__half* out, const __half* in, int rows, int columns) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    __shared__ __align__(128) uint4 tile[64][8];  // packs
    const int row = int(blockIdx.y) * 64, column = int(blockIdx.x) * 64;
    for (int i = int(threadIdx.x); i < 64 * 8; i += 128)
        tile[i / 8][place(i / 8, i % 8)] =
            *reinterpret_cast<const uint4*>(in + int64_t(row + i / 8) * columns + column + i % 8 * 8);
    __syncthreads();
    // A warp takes 16 columns. Of 8 x 8 elements, lane l gets two neighbours of column l / 4.
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    for (int r = 0; r < 64; r += 16) {
        uint32_t x[4];
        const int tile_row = r + lane / 8 % 2 * 8 + lane % 8, pack = warp * 2 + lane / 16;
        load_matrices<true>(x, address_of(&tile[tile_row][place(tile_row, pack)]));
        for (int i = 0; i < 4; i++) {
            const int to_row = column + warp * 16 + i / 2 * 8 + lane / 4,
                      to_column = row + r + i % 2 * 8 + lane % 4 * 2;
            *reinterpret_cast<uint32_t*>(out + int64_t(to_row) * rows + to_column) = x[i];
        }
    }
#endif
}

void launch_turn(__half* out, const __half* in, int rows, int columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    turn_kernel<<<dim3(unsigned(columns / 64), unsigned(rows / 64)), 128, 0, stream>>>(out, in, rows, columns);
    CHECK_LAUNCH();
}
