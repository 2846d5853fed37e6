// scores.cu: q @ k.T on tensor cores. A block has 64 x 64 results, and each of its four warps 16 x 64.
#include "scores.h"

#include "common/cuda_check.h"
#include "device/ptx_mma.h"

constexpr int D = 96, TILE = 64;

// So many packs of 16 bytes a row takes in shared memory.
// your code
constexpr int PACKS = 12;
// end of your code
static_assert(PACKS <= 13, "a row of 12 packs may take one place more, not several");

// Where pack number `pack` of a row lies in that row.
__device__ int place(int row, int pack) {
    // your code
    return pack ^ row / 2 % 4;
    // end of your code
}

__device__ void copy(uint4 (&tile)[TILE][PACKS], const __half* from) {
    for (int i = int(threadIdx.x); i < TILE * D / 8; i += 128) {
        const int row = i / (D / 8), pack = i % (D / 8);
        tile[row][place(row, pack)] = *reinterpret_cast<const uint4*>(from + i * 8);
    }
}

__global__ void scores_kernel(float* out, const __half* q, const __half* k, int keys) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    __shared__ __align__(128) uint4 q_tile[TILE][PACKS], k_tile[TILE][PACKS];
    const int query = int(blockIdx.y) * TILE, key = int(blockIdx.x) * TILE;
    copy(q_tile, q + int64_t(query) * D);
    copy(k_tile, k + int64_t(key) * D);
    __syncthreads();
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    float s[TILE / 8][4] = {};  // results of mma.sync side by side, for 8 keys each
    // your code
    for (int i = 0; i < D / 8; i += 2) {
        uint32_t x[4], y[4];
        const int row = warp * 16 + lane % 16;
        load_matrices<false>(x, address_of(&q_tile[row][place(row, i + lane / 16)]));
        for (int n = 0; n < TILE / 8; n += 2) {
            const int column = n * 8 + lane / 16 * 8 + lane % 8;
            load_matrices<false>(y, address_of(&k_tile[column][place(column, i + lane / 8 % 2)]));
            multiply<__half>(s[n], x, y[0], y[1]);
            multiply<__half>(s[n + 1], x, y[2], y[3]);
        }
    }
    // end of your code
    for (int n = 0; n < TILE / 8; n++)
        for (int i = 0; i < 4; i += 2) {
            const int row = query + warp * 16 + lane / 4 + i / 2 * 8, column = key + n * 8 + lane % 4 * 2;
            *reinterpret_cast<float2*>(out + int64_t(row) * keys + column) = make_float2(s[n][i], s[n][i + 1]);
        }
#endif
}

void launch_scores(float* out, const __half* q, const __half* k, int queries, int keys, cudaStream_t stream) {
    if (queries == 0 || keys == 0) return;
    scores_kernel<<<dim3(unsigned(keys / TILE), unsigned(queries / TILE)), 128, 0, stream>>>(out, q, k, keys);
    CHECK_LAUNCH();
}
