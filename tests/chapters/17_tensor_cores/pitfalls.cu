// pitfalls.cu: kernels with one mistake each. test_tensor_cores.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include "common/cuda_check.h"
#include "device/pack.h"
#include "device/ptx_mma.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define TENSOR_CORES
#endif

__device__ uint32_t pair(const __half* p) { return as<uint32_t>(*reinterpret_cast<const __half2*>(p)); }

// What a lane has of 16 numbers of each line.
__device__ void load(uint32_t (&x)[4], uint32_t (&y)[2], const __half* a, const __half* b, int m, int k, int l) {
    const int lane = int(threadIdx.x), row = lane / 4;
    l += lane % 4 * 2;
    for (int i = 0; i < 4; i++) x[i] = row + i % 2 * 8 < m ? pair(a + (row + i % 2 * 8) * k + l + i / 2 * 8) : 0;
    for (int i = 0; i < 2; i++) y[i] = pair(b + row * k + l + i * 8);
}

// The sums are half numbers. Neighbours of 32768 lie 32 apart, so adding 16 to it changes nothing.
__global__ void half_sums_kernel(float* out, const __half* a, const __half* b, int k) {
#ifdef TENSOR_CORES
    const int lane = int(threadIdx.x);
    uint32_t sums[2] = {};
    for (int l = 0; l < k; l += 16) {
        uint32_t x[4], y[2];
        load(x, y, a, b, 16, k, l);
        asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
            : "+r"(sums[0]), "+r"(sums[1])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    for (int i = 0; i < 2; i++) {
        const float2 two = __half22float2(as<__half2>(sums[i]));
        float* const to = out + (lane / 4 + 8 * i) * 8 + lane % 4 * 2;
        to[0] = two.x, to[1] = two.y;
    }
#endif
}

// Lanes whose rows are outside of the matrix leave mma.sync to the others. But it takes a whole warp.
__global__ void not_all_lanes_kernel(float* out, const __half* a, const __half* b, int m, int k) {
#ifdef TENSOR_CORES
    const int lane = int(threadIdx.x), row = lane / 4, column = lane % 4 * 2;
    if (row >= m) return;
    float sums[4] = {};
    for (int l = 0; l < k; l += 16) {
        uint32_t x[4], y[2];
        load(x, y, a, b, m, k, l);
        multiply<__half>(sums, x, y[0], y[1]);
    }
    for (int i = 0; i < 4; i++)
        if (row + i / 2 * 8 < m) out[(row + i / 2 * 8) * 8 + column + i % 2] = sums[i];
#endif
}

// mma.sync wants two neighbours of a column of b in a register. In memory the neighbours are those of a row, which
// ldmatrix turns around only with .trans.
__global__ void no_trans_kernel(float* out, const __half* a, const __half* b) {
#ifdef TENSOR_CORES
    __shared__ __align__(16) __half tile[32][8];
    const int lane = int(threadIdx.x);
    for (int j = 0; j < 8; j++) tile[lane][j] = lane < 16 ? b[lane * 8 + j] : __half(0.f);
    __syncwarp();
    uint32_t x[4], unused[2], y[4];
    load(x, unused, a, a, 16, 16, 0);
    load_matrices<false>(y, address_of(tile[lane]));
    float sums[4] = {};
    multiply<__half>(sums, x, y[0], y[1]);
    for (int i = 0; i < 4; i++) out[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sums[i];
#endif
}

// Rows of 128 bytes: the same 16 bytes of eight rows lie in the same four banks.
__global__ void no_swizzle_kernel(__half* out, const __half* in) {
#ifdef TENSOR_CORES
    __shared__ __align__(128) __half tile[8][64];
    const int lane = int(threadIdx.x);
    for (int i = lane; i < 8 * 64; i += 32) tile[i / 64][i % 64] = in[i];
    __syncwarp();
    for (int column = 0; column < 64; column += 32) {
        uint32_t x[4];
        load_matrices<false>(x, address_of(&tile[lane % 8][column + lane / 8 * 8]));
        for (int i = 0; i < 4; i++)
            *reinterpret_cast<uint32_t*>(&out[lane / 4 * 64 + column + i * 8 + lane % 4 * 2]) = x[i];
    }
#endif
}

void half_sums(float* out, const __half* a, const __half* b, int k, cudaStream_t stream) {
    half_sums_kernel<<<1, 32, 0, stream>>>(out, a, b, k);
    CHECK_LAUNCH();
}
void not_all_lanes(float* out, const __half* a, const __half* b, int m, int k, cudaStream_t stream) {
    not_all_lanes_kernel<<<1, 32, 0, stream>>>(out, a, b, m, k);
    CHECK_LAUNCH();
}
void no_trans(float* out, const __half* a, const __half* b, cudaStream_t stream) {
    no_trans_kernel<<<1, 32, 0, stream>>>(out, a, b);
    CHECK_LAUNCH();
}
void no_swizzle(__half* out, const __half* in, cudaStream_t stream) {
    no_swizzle_kernel<<<1, 32, 0, stream>>>(out, in);
    CHECK_LAUNCH();
}
