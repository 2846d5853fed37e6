// row.h: a thread's part of a row, in its registers. Groups of threads, which share a row, are in groups.h. No torch
// header in here.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>

#include "common/pack.h"

// Registers have no index: an array that a loop indexes at run time lies in memory. So a loop over the elements must be
// unrolled, and nvcc unrolls one over 32 only if asked.
#define UNROLL _Pragma("unroll")

// bfloat16 is the upper half of a float. (The header's conversion is an `asm` statement: nvcc would rather keep its
// result in a register, or spill it, than convert once more.)
__device__ inline float to_float(__nv_bfloat16 x) { return __uint_as_float(unsigned(__bfloat16_as_ushort(x)) << 16); }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(float x) { return x; }

// How an array is read. The L2 cache may forget what is read for the last time (`__ldcs`). Loads from an array that is
// constant while the kernel runs may be moved across stores (`__ldg`), so nvcc needs fewer registers.
enum class Read { plain, last, constant };

// `packs` packs of a row: number rank, rank + group.size() and so on, so that neighbours read neighbouring packs. size
// is that of a Pack of 16 bytes where all rows begin at multiples of 16, and 1 elsewhere. The packs stay as they lie in
// memory, and an element becomes a float where it is used: 8 elements of half precision are 4 registers, 8 floats 8.
template <class T, int size, int packs>
struct Elements {
    static constexpr int COUNT = size * packs;
    Pack<T, size> pack[packs];

    __device__ float operator[](int i) const { return to_float(pack[i / size].values[i % size]); }

    // Behind the end of the row, which has n elements, values become `none`. For them a thread reads the row's first
    // pack once more, because loads under an `if` might wait for one another.
    template <Read read = Read::plain, class Group>
    __device__ void load(const T* row, int64_t n, const Group& group, float none) {
        const int end = int(min(n, int64_t(group.size()) * COUNT));
        UNROLL for (int k = 0; k < packs; k++) {
            const T* const from = row + (begin(k, group) < end ? begin(k, group) : 0);
            if constexpr (read == Read::plain || sizeof pack[k] < 16) {
                pack[k] = *reinterpret_cast<const Pack<T, size>*>(from);
            } else {
                const auto bytes = reinterpret_cast<const uint4*>(from);
                const uint4 loaded = read == Read::last ? __ldcs(bytes) : __ldg(bytes);
                memcpy(&pack[k], &loaded, sizeof loaded);
            }
        }
        UNROLL for (int k = 0; k < packs; k++) {
            if (begin(k, group) < end) continue;
            UNROLL for (int j = 0; j < size; j++) pack[k].values[j] = T(none);
        }
    }

    // result(i) is the result for element i.
    template <class Out, class Group, class Result>
    static __device__ void store(Out* row, int64_t n, const Group& group, Result result) {
        const int end = int(min(n, int64_t(group.size()) * COUNT));
        UNROLL for (int k = 0; k < packs; k++) {
            Pack<Out, size> pack;
            UNROLL for (int j = 0; j < size; j++) pack.values[j] = Out(result(k * size + j));
            if (begin(k, group) < end) *reinterpret_cast<Pack<Out, size>*>(row + begin(k, group)) = pack;
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
