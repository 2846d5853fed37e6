// row.h: a thread's part of a row, in its registers. Groups of threads, which share a row, are in groups.h. No torch
// header in here.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <type_traits>

#include "common/cache_hint.h"
#include "common/pack.h"

// Registers have no index: an array that a loop indexes at run time lies in memory. So a loop over the elements must be
// unrolled, and nvcc unrolls one over 32 only if asked.
#define UNROLL _Pragma("unroll")

// Element j of a pack, as a float. bfloat16 is the upper half of a float, so one instruction on the 4 bytes of two of
// them is enough. (The header's conversion is an `asm` statement, so nvcc would rather keep its result than convert
// again.)
template <class T, int size>
__device__ float element(const Pack<T, size>& pack, int j) {
    if constexpr (std::is_same_v<T, __nv_bfloat16> && size > 1) {
        unsigned two;
        memcpy(&two, &pack.values[j / 2 * 2], sizeof two);
        return __uint_as_float(j % 2 ? two & 0xffff0000 : two << 16);
    } else {
        return float(pack.values[j]);
    }
}

// `packs` packs of a row: number rank, rank + group.size() and so on, so that neighbours read neighbouring packs. size
// is that of a Pack of 16 bytes where all rows begin at multiples of 16, and 1 elsewhere. The packs stay as they lie in
// memory, and an element becomes a float where it is used: 8 elements of half precision are 4 registers, 8 floats 8.
template <class T, int size, int packs>
struct Elements {
    static constexpr int COUNT = size * packs;
    Pack<T, size> pack[packs];

    __device__ float operator[](int i) const { return element(pack[i / size], i % size); }

    // Behind the end of the row, which has n elements, elements become `none`.
    template <Read read = Read::keep, class Group>
    __device__ void load(const T* row, int64_t n, const Group& group, float none) {
        const int end = int(min(n, int64_t(group.size()) * COUNT));
        UNROLL for (int k = 0; k < packs; k++) {
            UNROLL for (int j = 0; j < size; j++) pack[k].values[j] = T(none);
            if (begin(k, group) < end) pack[k] = load_pack<read>(row + begin(k, group));
        }
    }

    // A pack of 8 floats, sums of elements in half precision, has 32 bytes, and no hint.
    template <Read read>
    static __device__ Pack<T, size> load_pack(const T* p) {
        const auto* const pack = reinterpret_cast<const Pack<T, size>*>(p);
        if constexpr (sizeof *pack != 16) {
            return *pack;
        } else {
            return ::load_pack<read>(pack);
        }
    }

    // result(i) is the result for element i.
    template <class Out, class Group, class Result>
    static __device__ void store(Out* row, int64_t n, const Group& group, Result result) {
        const int end = int(min(n, int64_t(group.size()) * COUNT));
        UNROLL for (int k = 0; k < packs; k++) {
            Pack<Out, size> pack;
            UNROLL for (int j = 0; j < size; j++) pack.values[j] = Out(result(k * size + j));
            if (begin(k, group) < end) store_pack(row + begin(k, group), pack);
        }
    }

    // As a uint4: of an assignment of a Pack, nvcc sometimes makes a store for each of its elements.
    template <class Out>
    static __device__ void store_pack(Out* p, const Pack<Out, size>& pack) {
        if constexpr (sizeof pack != 16) {
            *reinterpret_cast<Pack<Out, size>*>(p) = pack;
        } else {
            uint4 bytes;
            memcpy(&bytes, &pack, sizeof pack);
            *reinterpret_cast<uint4*>(p) = bytes;
        }
    }

    template <class Group>
    static __device__ int begin(int k, const Group& group) {  // of pack k, in the row
        return (group.rank() + k * group.size()) * size;
    }
};

// Where a row begins in its array, and how many elements it has.
struct Row {
    int64_t begin, n;
};

// Row `number` of `rows`. In the last block, some groups may have none. They take part in shuffles all the same, with a
// row of 0 elements that begins where they may read.
__device__ inline Row row_of(int64_t number, int64_t rows, int64_t n) {
    return {number < rows ? number * n : 0, number < rows ? n : 0};
}
