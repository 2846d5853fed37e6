// operand.h: an operand on its way from memory to wgmma, for all kernels of this chapter. An operand consists of lines
// of k numbers: rows of a, columns of b. Where neighbours of a line are neighbours in memory, it is stored "along k".
#pragma once
#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "../16_matmul/matrix.h"
#include "common/tensor_map.h"
#include "device/hopper.h"

constexpr int BOX = 64, BOX_BYTES = BOX * BOX * 2;  // TMA copies boxes of 64 x 64: 64 rows of 128 bytes, swizzled

// Numbers 0 to 7 at `from`, of which `count` exist; 0 for the others. Words of 4 bytes are loaded, and shifted where
// the first number is the second half of one. The first and the last number are loaded alone: the other half of their
// word may lie outside of the tensor. No `if` stands around loads, so a thread has those of several packs under way.
template <class T>
__device__ uint4 load_8(const T* from, int count) {
    const int half = int(reinterpret_cast<uintptr_t>(from) / 2 % 2), n = min(count, 8);
    const uint16_t* const number = reinterpret_cast<const uint16_t*>(from);
    const uint32_t first = n > 0 ? number[0] : 0, last = n > 0 ? number[n - 1] : 0;
    uint32_t word[5], pair[4];
#pragma unroll
    for (int i = 0; i < 5; i++) {
        const int begin = 2 * i - half;  // this word has that number and the next one
        word[i] = begin >= 0 && begin + 1 < n ? *reinterpret_cast<const uint32_t*>(number + begin) : 0;
        if (begin == -1) word[i] = first << 16;
        if (begin == n - 1) word[i] = last;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) pair[i] = __funnelshift_r(word[i], word[i + 1], 16 * half);
    return make_uint4(pair[0], pair[1], pair[2], pair[3]);
}

#ifdef HAS_WGMMA
// Copies numbers k to k + 63 of lines `line` to line + 63 into the shared memory of all CLUSTER blocks.
template <bool along_k, int CLUSTER = 1>
__device__ void load_box(uint32_t to, const CUtensorMap* map, int line, int k, int batch, uint32_t barrier) {
    const int x = along_k ? k : line, y = along_k ? line : k;
    CLUSTER == 1 ? tma_load(to, map, x, y, batch, barrier)
                 : tma_multicast(to, map, x, y, batch, barrier, (1 << CLUSTER) - 1);
}

// d += 64 lines of a times 2 * sums lines of b, 64 numbers of each line. An instruction takes 16 of the 64: 32 bytes of
// each row of a box, or, where it is not stored along k, 16 of its rows.
template <class T, bool a_along_k, bool b_along_k, int sums>
__device__ void multiply_64(float (&d)[sums], uint32_t a, uint32_t b) {
    const uint64_t a_tile = wgmma_descriptor(a, BOX_BYTES), b_tile = wgmma_descriptor(b, BOX_BYTES);
#pragma unroll
    for (int i = 0; i < BOX / 16; i++)  // a descriptor counts in 16 bytes
        wgmma<T, !a_along_k, !b_along_k>(d, a_tile + i * (a_along_k ? 2 : 16 * 8),
                                         b_tile + i * (b_along_k ? 2 : 16 * 8));
}

// Two results in one store of 4 bytes.
__device__ inline void store_pair(__half* to, float x, float y) {
    *reinterpret_cast<__half2*>(to) = __floats2half2_rn(x, y);
}
__device__ inline void store_pair(__nv_bfloat16* to, float x, float y) {
    *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(x, y);
}

// Where number c of row r lies in a box: swizzled as TMA and wgmma have it.
__device__ inline int place_in_box(int r, int c) { return r * BOX + (c / 8 ^ r % 8) * 8 + c % 8; }
#endif

// ---- the host ------------------------------------------------------------------------------------------------------

// An operand as rows and columns in memory.
template <class T>
struct Stored {
    const T* data;
    int64_t rows, columns, stride, batches, batch_stride;
    bool along_k;

    // Whether TMA can read it: rows and matrices begin at multiples of 16 bytes.
    bool is_aligned() const {
        const auto fits = [](int64_t stride) { return stride % 8 == 0 && stride < int64_t(1) << 39; };
        return reinterpret_cast<uintptr_t>(data) % 16 == 0 && (rows <= 1 || (fits(stride) && stride > 0)) &&
               (batches <= 1 || fits(batch_stride));
    }
    // Whether its rows lie an odd multiple of 16 bytes apart.
    bool is_skewed() const { return is_aligned() && rows > 1 && stride % 16 != 0; }
    bool is_empty() const { return rows == 0 || columns == 0; }
    // A copy has rows at multiples of 128 bytes: a row of a box that begins elsewhere touches two lines of the cache.
    int64_t copied_stride() const { return (columns + 63) / 64 * 64; }
    int64_t copied_elements() const { return is_aligned() || is_empty() ? 0 : batches * rows * copied_stride(); }
};

template <class T>
Stored<T> stored(const Matrix<T>& x, int64_t rows, int64_t columns, int64_t batches, bool is_a) {
    if (x.transposed) std::swap(rows, columns);
    if (x.batch_stride == 0) batches = 1;  // all batches share it
    return {x.data, rows, columns, x.stride, batches, x.batch_stride, is_a != x.transposed};
}

// What TMA has to know of an operand. (Without a number there is nothing to copy, and the driver refuses a map.)
template <class T>
CUtensorMap tensor_map(const Stored<T>& x) {
    if (x.is_empty()) return {};
    const int64_t sizes[] = {x.columns, x.rows, x.batches};
    const int64_t strides[] = {x.rows > 1 ? x.stride : 8, x.batches > 1 ? x.batch_stride : 8};
    return tensor_map(x.data, sizes, strides, {BOX, BOX, 1}, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
}

// f(a is stored along k, b is stored along k), as types: code differs for each of the four layouts.
template <class F>
void with_layout(bool a_along_k, bool b_along_k, F f) {
    if (a_along_k)
        b_along_k ? f(std::true_type(), std::true_type()) : f(std::true_type(), std::false_type());
    else
        b_along_k ? f(std::false_type(), std::true_type()) : f(std::false_type(), std::false_type());
}
