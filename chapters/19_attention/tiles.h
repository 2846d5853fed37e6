// tiles.h: what the kernels on tensor cores share: tiles in shared memory, and products of which one operand or both
// lie there. Blocks have four warps.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "attention.h"
#include "common/cuda_check.h"
#include "common/device_attribute.h"
#include "common/shared_memory.h"
#include "device/pack.h"
#include "device/ptx_mma.h"

#define UNROLL _Pragma("unroll")

// On older GPUs the kernels are empty, and never launched.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define TENSOR_CORES
#endif

constexpr int THREADS = 128;
constexpr float LOG2_E = 1.4426950408889634f, LN_2 = 0.6931471805599453f;

// ---- which part of the work --------------------------------------------------------------------------------------

struct Place {
    int batch, head, tile;
};

// Blocks are numbered tile by tile, so that those which run at the same time read the same heads of k and v.
__device__ inline Place place_of(unsigned block, unsigned tiles, unsigned heads) {
    return {int(block / tiles / heads), int(block / tiles % heads), int(block % tiles)};
}

__host__ __device__ inline int tiles_of(int rows, int tile) { return (rows + tile - 1) / tile; }

// The last key that a query sees, or -1.
__host__ __device__ inline int last_key(int query, const Problem& p) {
    return p.causal ? min(query, p.keys - 1) : p.keys - 1;
}

// ---- tiles in shared memory --------------------------------------------------------------------------------------

// Rows of D elements, which consist of packs of 16 bytes. These are swizzled: pack p of row r lies where pack p ^ (r %
// 8) would lie, so that the same pack of eight rows, which ldmatrix reads at a time, lies in all 32 banks. A tile
// begins at a multiple of ROW bytes.
template <class T, int D>
struct Tile {
    static constexpr int PACKS = D / 8, ROW = D * int(sizeof(T));

    __device__ static uint32_t place(int row, int pack) { return uint32_t(row * ROW + (pack ^ row % 8) * 16); }

    // Starts the copies of ROWS rows, of which `rows` exist. The others become zeros.
    template <int ROWS>
    __device__ static void copy(uint32_t tile, const T* from, int64_t stride, int rows) {
        constexpr int STEP = THREADS / PACKS;  // rows that the block copies at a time
        static_assert(STEP % 8 == 0 && ROWS % STEP == 0, "all rows of a thread have the same swizzle");
        const int row = int(threadIdx.x) / PACKS, pack = int(threadIdx.x) % PACKS;
        const uint32_t to = tile + place(row, pack);
        from += row * stride + pack * 8;
        UNROLL for (int i = 0; i < ROWS; i += STEP, from += STEP * stride)
            copy_16_bytes(to + i * ROW, from, row + i < rows);
    }

    // Where this lane's row for ldmatrix begins. ldmatrix loads four 8 x 8 matrices, from 16 rows and 16 columns. A
    // left operand takes them column by column, a right one row by row. With ldmatrix.trans, a right one takes them
    // column by column as well.
    __device__ static uint32_t left(uint32_t tile, int row) {
        return tile + place(row + int(threadIdx.x) % 16, int(threadIdx.x) % 32 / 16);
    }
    __device__ static uint32_t right(uint32_t tile) {
        return tile + place(int(threadIdx.x) % 32 / 16 * 8 + int(threadIdx.x) % 8, int(threadIdx.x) / 8 % 2);
    }
    __device__ static uint32_t right_transposed(uint32_t tile) { return left(tile, 0); }

    // The address so many rows and columns further on, both multiples of 16. Along columns, the swizzle makes it an
    // XOR.
    __device__ static uint32_t further(uint32_t first, int rows, int columns) {
        return (first ^ uint32_t(columns) * 2) + uint32_t(rows * ROW);
    }
};

// ---- products of a warp ------------------------------------------------------------------------------------------

// Two floats in one register of half precision.
__device__ inline void pack_pair(uint32_t& to, float x, float y, __half) { to = as<uint32_t>(__floats2half2_rn(x, y)); }
__device__ inline void pack_pair(uint32_t& to, float x, float y, __nv_bfloat16) {
    to = as<uint32_t>(__floats2bfloat162_rn(x, y));
}

// sums += a @ b^T. a has M * 16 rows of D elements, b has N * 8. The addresses are those of left() and right().
template <class T, int D, int M, int N>
__device__ void add_rows_by_rows(float (&sums)[M][N][4], uint32_t a, uint32_t b) {
    UNROLL for (int column = 0; column < D; column += 16) {
        uint32_t x[M][4];
        UNROLL for (int m = 0; m < M; m++) load_matrices<false>(x[m], Tile<T, D>::further(a, m * 16, column));
        UNROLL for (int n = 0; n < N; n += 2) {
            uint32_t y[4];
            load_matrices<false>(y, Tile<T, D>::further(b, n * 8, column));
            UNROLL for (int m = 0; m < M; m++) multiply<T>(sums[m][n], x[m], y[0], y[1]);
            UNROLL for (int m = 0; m < M; m++) multiply<T>(sums[m][n + 1], x[m], y[2], y[3]);
        }
    }
}

// sums += p @ b. p has M * 16 rows and N * 8 columns, and is a result of the function above: what a lane has of a
// result is what it must have of a left operand, in half precision. b has N * 8 rows of D elements; its address is that
// of right_transposed().
template <class T, int D, int M, int N>
__device__ void add_result_by_columns(float (&sums)[M][D / 8][4], const float (&p)[M][N][4], uint32_t b) {
    UNROLL for (int n = 0; n < N; n += 2) {
        uint32_t x[M][4];
        UNROLL for (int m = 0; m < M; m++) UNROLL for (int i = 0; i < 4; i++)
            pack_pair(x[m][i], p[m][n + i / 2][i % 2 * 2], p[m][n + i / 2][i % 2 * 2 + 1], T());
        UNROLL for (int column = 0; column < D; column += 16) {
            uint32_t y[4];
            load_matrices<true>(y, Tile<T, D>::further(b, n * 8, column));
            UNROLL for (int m = 0; m < M; m++) multiply<T>(sums[m][column / 8], x[m], y[0], y[1]);
            UNROLL for (int m = 0; m < M; m++) multiply<T>(sums[m][column / 8 + 1], x[m], y[2], y[3]);
        }
    }
}

// Stores what a lane has of row `row` (half: 0) and of the eighth row after it (half: 1), times factor.
template <class T, int N>
__device__ void store_row(T* row, const float (&x)[N][4], int half, float factor) {
    row += int(threadIdx.x) % 4 * 2;
    UNROLL for (int n = 0; n < N; n++)
        pack_pair(*reinterpret_cast<uint32_t*>(row + n * 8), x[n][2 * half] * factor, x[n][2 * half + 1] * factor, T());
}

// 2 to the power of x, in one instruction.
__device__ inline float power_of_2(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

// ---- launches ----------------------------------------------------------------------------------------------------

inline int compute_capability() { return device_attribute(cudaDevAttrComputeCapabilityMajor); }

// A block for each tile of `rows` rows of each head. More of them than a grid may have would need more memory than any
// GPU has.
template <class... Arguments>
void launch_tiles(void (*kernel)(Arguments...), int rows, int tile, int64_t heads, int threads, int bytes,
                  cudaStream_t stream, Arguments... arguments) {
    const int64_t blocks = tiles_of(rows, tile) * heads;
    if (blocks == 0) return;
    if (blocks > std::numeric_limits<int>::max()) throw std::runtime_error("more than 2147483647 tiles of rows");
    if (bytes > 48 * 1024 && allow_shared_memory(kernel) < bytes)
        throw std::runtime_error("this step needs more shared memory than this GPU has");
    kernel<<<unsigned(blocks), threads, bytes, stream>>>(arguments...);
    CHECK_LAUNCH();
}
