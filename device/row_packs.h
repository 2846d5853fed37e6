// row_packs.h: a thread's part of a row, in packs of 16 bytes. Copy this file, pack.h and number.h into a project of
// your own.
//
//   float values[2][4 * Pack<T>::SIZE];                      // of two arrays; double for double
//   const Section s = {-begin, begin, begin + n};            // the row that begins at `to`; begin is shift_of(to)
//   load(values, {x, y}, s, T(0));                           // 8 loads in flight; outside of the row: 0
//   store(to, s, values[0]);
//
// A row may begin anywhere. Packs begin at the 16-byte boundaries of `to`, the row that is written. So the
// first and the last pack may lie partly outside of the row: these two go element by element. Pack k of a thread lies
// k * blockDim.x packs after its first one, so that neighbours read neighbouring packs.
#pragma once
#include <cstdint>
#include <cstring>

#include "device/number.h"
#include "device/pack.h"

// A register cannot be chosen by an index at run time, so loops over a thread's elements must be unrolled.
#define UNROLL _Pragma("unroll")

// How many elements p lies after a multiple of 16 bytes.
template <class T>
__device__ int shift_of(const T* p) {
    return int(reinterpret_cast<uintptr_t>(p) / sizeof(T) % Pack<T>::SIZE);
}

// Loads the thread's packs of a row whose elements are base[begin] to base[end - 1]; other elements become `none`.
// whole: begin is 0, and the row begins at a multiple of 16 bytes and consists of packs, which takes fewer
// instructions. last: it is not read again, so the caches may forget it first.
template <bool whole = false, bool last = false, class T, int packs>
__device__ void load_packs(Pack<T> (&part)[packs], const T* base, int begin, int end, T none) {
    constexpr int size = Pack<T>::SIZE;
    const bool aligned = whole || shift_of(base) == 0;  // else elements are loaded one by one
    UNROLL for (int k = 0; k < packs; k++) {
        const int i = int(threadIdx.x + k * blockDim.x) * size;
        UNROLL for (int j = 0; j < size; j++) part[k].values[j] = none;
        if (whole ? i < end : i >= begin && i + size <= end) {
            if (aligned) {
                const auto* const p = reinterpret_cast<const uint4*>(base + i);
                const uint4 bytes = last ? __ldcs(p) : *p;
                memcpy(&part[k], &bytes, sizeof bytes);
            } else {  // two aligned packs and a shift were slower, on an H100 and on an H200
                UNROLL for (int j = 0; j < size; j++) part[k].values[j] = base[i + j];
            }
        } else if (!whole && i + size > begin && i < end) {
            UNROLL for (int j = 0; j < size; j++) if (i + j >= begin && i + j < end) part[k].values[j] = base[i + j];
        }
    }
}

// Stores pack k of the thread; `base` is a multiple of 16 bytes. The caches may evict this pack first, which leaves
// room for what is read again.
template <bool whole = false, class T>
__device__ void store_pack(T* base, int begin, int end, int k, const Pack<T>& pack) {
    constexpr int size = Pack<T>::SIZE;
    const int i = int(threadIdx.x + k * blockDim.x) * size;
    if (whole ? i < end : i >= begin && i + size <= end) {
        uint4 bytes;
        memcpy(&bytes, &pack, sizeof bytes);
        __stcs(reinterpret_cast<uint4*>(base + i), bytes);
    } else if (!whole && i + size > begin && i < end) {
        UNROLL for (int j = 0; j < size; j++) if (i + j >= begin && i + j < end) base[i + j] = pack.values[j];
    }
}

// A part of a row: elements begin to end - 1, counted from element `base` of the array, where a pack begins.
struct Section {
    int64_t base;
    int begin, end;
};

// The same for a section, with elements as numbers: element j of pack k of array a is values[a][k * size + j].
template <bool whole = false, bool last = false, class T, int arrays, int count>
__device__ void load(Number<T> (&values)[arrays][count], const T* const (&from)[arrays], Section s, T none) {
    constexpr int size = Pack<T>::SIZE;
    UNROLL for (int a = 0; a < arrays; a++) {
        Pack<T> part[count / size];
        load_packs<whole, last>(part, from[a] + s.base, s.begin, s.end, none);
        UNROLL for (int i = 0; i < count; i++) values[a][i] = number(part[i / size].values[i % size]);
    }
}

template <bool whole = false, class T, int count>
__device__ void store(T* to, Section s, const Number<T> (&values)[count]) {
    constexpr int size = Pack<T>::SIZE;
    UNROLL for (int k = 0; k < count / size; k++) {
        Pack<T> pack;
        UNROLL for (int j = 0; j < size; j++) pack.values[j] = T(values[k * size + j]);
        store_pack<whole>(to + s.base, s.begin, s.end, k, pack);
    }
}
