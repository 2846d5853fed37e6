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

// 16 of the 32 bytes of two neighbouring pieces, from byte `shift` on: moved by two words, by one word, and by bytes.
inline __device__ uint4 joined(const uint4& first, const uint4& second, int shift) {
    unsigned words[] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    UNROLL for (int k = 0; k < 6; k++) words[k] = shift & 8 ? words[k + 2] : words[k];
    UNROLL for (int k = 0; k < 5; k++) words[k] = shift & 4 ? words[k + 1] : words[k];
    UNROLL for (int k = 0; k < 4; k++) words[k] = __funnelshift_r(words[k], words[k + 1], 8 * (shift % 4));
    return make_uint4(words[0], words[1], words[2], words[3]);
}

// A part of a row: elements begin to end - 1, counted from element `base` of the array, where a pack of the row that is
// written begins.
struct Section {
    int64_t base;
    int begin, end;
};

// Loads the thread's packs of a section of several arrays; elements outside of the section become `none`.
// whole: the section begins at 0, and consists of packs that begin at multiples of 16 bytes, which takes fewer
// instructions. last: it is not read again, so the caches may forget it first.
//
// An array that is read may begin elsewhere than the one that is written. Then a pack lies in two pieces, the second of
// which a neighbour has loaded as its first. So all first pieces are under way before a thread waits for any, and the
// second ones come from the L1 cache.
template <bool whole = false, bool last = false, class T, int arrays, int packs>
__device__ void load_packs(Pack<T> (&part)[arrays][packs], const T* const (&from)[arrays], Section s, T none) {
    constexpr int size = Pack<T>::SIZE;
    const auto element = [](int k) { return int(threadIdx.x + k * blockDim.x) * size; };  // the first one of a pack
    const auto inside = [&](int i, int shift) {
        return whole ? i < s.end : i - shift >= s.begin && i - shift + (shift > 0 ? 2 : 1) * size <= s.end;
    };
    UNROLL for (int a = 0; a < arrays; a++) {
        const T* const base = from[a] + s.base;
        const int shift = whole ? 0 : shift_of(base);
        UNROLL for (int k = 0; k < packs; k++) {
            const int i = element(k);
            UNROLL for (int j = 0; j < size; j++) part[a][k].values[j] = none;
            if (inside(i, shift)) {
                const auto* const p = reinterpret_cast<const uint4*>(base + i - shift);
                const uint4 bytes = last ? __ldcs(p) : *p;
                memcpy(&part[a][k], &bytes, sizeof bytes);
            } else if (!whole && i + size > s.begin && i < s.end) {
                UNROLL for (int j = 0; j < size; j++) if (i + j >= s.begin && i + j < s.end) part[a][k].values[j] =
                    base[i + j];
            }
        }
    }
    UNROLL for (int a = 0; a < arrays && !whole; a++) {
        const T* const base = from[a] + s.base;
        const int shift = shift_of(base);
        if (shift == 0) continue;
        UNROLL for (int k = 0; k < packs; k++) {
            const int i = element(k);
            if (!inside(i, shift)) continue;
            const auto* const second = reinterpret_cast<const uint4*>(base + i - shift + size);
            const uint4 bytes = joined(as<uint4>(part[a][k]), *second, shift * int(sizeof(T)));
            memcpy(&part[a][k], &bytes, sizeof bytes);
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

// The same with elements as numbers: element j of pack k of array a is values[a][k * size + j].
template <bool whole = false, bool last = false, class T, int arrays, int count>
__device__ void load(Number<T> (&values)[arrays][count], const T* const (&from)[arrays], Section s, T none) {
    constexpr int size = Pack<T>::SIZE;
    Pack<T> part[arrays][count / size];
    load_packs<whole, last>(part, from, s, none);
    UNROLL for (int a = 0; a < arrays; a++) UNROLL for (int i = 0; i < count; i++) values[a][i] =
        number(part[a][i / size].values[i % size]);
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
