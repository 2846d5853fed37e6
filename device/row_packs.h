// row_packs.h: a thread's part of a row, in packs of 16 bytes. Copy this file, pack.h and number.h into a project of
// your own.
//
//   float values[2][4 * Pack<T>::SIZE];                      // of two arrays; double for double
//   const Section s = {-begin, begin, begin + n};            // the row that begins at `to`; begin is shift_of(to)
//   load(values, {x, y}, s, T(0));                           // 8 loads in flight; outside of the row: 0
//   store(to, s, values[0]);
//
// By default (`shifted`) a row may begin anywhere. Packs begin at the 16-byte boundaries of `to`, the row that is
// written. So the first and the last pack may lie partly outside of the row: these two go element by element. Pack k of
// a thread lies k * blockDim.x packs after its first one, so that neighbours read neighbouring packs.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "device/number.h"
#include "device/pack.h"

// A register cannot be chosen by an index at run time, so loops over a thread's elements must be unrolled.
#define UNROLL _Pragma("unroll")

// How a thread's elements lie in memory.
enum class Layout {
    whole,    // in packs: the row begins at a multiple of 16 bytes and consists of packs, which takes few instructions
    shifted,  // in packs that begin at the 16-byte boundaries of the result, wherever the row begins
    single,   // one by one, wherever each array begins: 32 lanes share their 32 packs, such that neighbours load
              // neighbouring elements. Whole warps share a row.
    pairs,    // the same by pairs of 2-byte elements, at multiples of 4 bytes
};

// The layout that takes the fewest instructions for rows of n elements of all these arrays: whole, pairs or single.
template <class T, int inputs>
Layout layout_of(int64_t n, const T* const (&in)[inputs], const T* out, const T* weight = nullptr) {
    // A bit that is 0 here is 0 in each number.
    uint64_t all = uint64_t(n) * sizeof(T) | reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(weight);
    for (const T* input : in) all |= reinterpret_cast<uintptr_t>(input);
    return all % 16 == 0 ? Layout::whole : all % 4 == 0 && sizeof(T) == 2 ? Layout::pairs : Layout::single;
}

// Whether inputs and result have their 16-byte boundaries at the same elements: `shifted` is fast only then.
template <class T, int inputs>
bool alike(const T* const (&in)[inputs], const T* out) {
    uintptr_t differ = 0;
    for (const T* input : in) differ |= reinterpret_cast<uintptr_t>(input) ^ reinterpret_cast<uintptr_t>(out);
    return differ % 16 == 0;
}

// f(the layout as a constant): `packs` (whole or shifted), pairs or single. f is compiled for each of them.
template <Layout packs, class T, class F>
void with_layout(Layout layout, F f) {
    if constexpr (sizeof(T) == 2)
        if (layout == Layout::pairs) return f(std::integral_constant<Layout, Layout::pairs>());
    if (layout == packs) return f(std::integral_constant<Layout, packs>());
    f(std::integral_constant<Layout, Layout::single>());
}

// How many neighbouring elements a thread loads at a time, and the type in which it does so. Of a Pack<T, 2>, nvcc
// would make two numbers before it loads the next pair.
template <Layout layout, int size>
constexpr int UNIT = layout == Layout::single  ? 1
                     : layout == Layout::pairs ? 2
                                               : size;

template <int unit, class T>
using Bits = std::conditional_t<unit == 1, T, unsigned>;

// Element i of a thread: its number in the section.
template <Layout layout, int size>
__device__ int column_of(int i) {
    constexpr int unit = UNIT<layout, size>;
    const int lane = int(threadIdx.x) % 32, of_pack = i % size;
    const int pack = i / size * int(blockDim.x) + int(threadIdx.x);
    if constexpr (unit == size) return pack * size + of_pack;
    return (pack - lane) * size + (of_pack / unit * 32 + lane) * unit + of_pack % unit;
}

// How many elements p lies after a multiple of 16 bytes.
template <class T>
__device__ int shift_of(const T* p) {
    return int(reinterpret_cast<uintptr_t>(p) / sizeof(T) % Pack<T>::SIZE);
}

// A part of a row: elements begin to end - 1, counted from element `base` of the array. (Of
// `shifted`, a pack begins there.)
struct Section {
    int64_t base;
    int begin, end;
};

// Pack k of a thread, of a section of the array `from`; elements outside of it become `none`. `single` and
// `pairs` need a begin of 0. last: a pack that is not read again, so the caches may forget it first.
template <Layout layout = Layout::shifted, bool last = false, class T>
__device__ void load_pack(Pack<T>& pack, const T* from, Section s, int k, T none) {
    constexpr int size = Pack<T>::SIZE, unit = UNIT<layout, size>;
    const T* const base = from + s.base;
    const int i = column_of<layout, size>(k * size);
    UNROLL for (int j = 0; j < size; j++) pack.values[j] = none;
    if constexpr (unit < size) {
        UNROLL for (int j = 0; j < size; j += unit) {
            const int c = column_of<layout, size>(k * size + j);
            Bits<unit, T> bits;
            memcpy(&bits, &pack.values[j], sizeof bits);
            if (c < s.end) bits = *reinterpret_cast<const Bits<unit, T>*>(base + c);
            memcpy(&pack.values[j], &bits, sizeof bits);
        }
    } else if (layout == Layout::whole ? i < s.end : i >= s.begin && i + size <= s.end) {
        if (layout == Layout::whole || shift_of(base) == 0) {
            const auto* const p = reinterpret_cast<const uint4*>(base + i);
            const uint4 bytes = last ? __ldcs(p) : *p;
            memcpy(&pack, &bytes, sizeof bytes);
        } else {  // two aligned packs and a shift were slower, on an H100 and on an H200
            UNROLL for (int j = 0; j < size; j++) pack.values[j] = base[i + j];
        }
    } else if (layout == Layout::shifted && i + size > s.begin && i < s.end) {
        UNROLL for (int j = 0; j < size; j++) if (i + j >= s.begin && i + j < s.end) pack.values[j] = base[i + j];
    }
}

// All packs of the thread.
template <Layout layout = Layout::shifted, bool last = false, class T, int packs>
__device__ void load_packs(Pack<T> (&part)[packs], const T* from, Section s, T none) {
    UNROLL for (int k = 0; k < packs; k++) load_pack<layout, last>(part[k], from, s, k, none);
}

// Stores pack k of the thread; where packs are stored whole, `to + s.base` is a multiple of 16 bytes. The caches may
// evict this pack first, which leaves room for what is read again.
template <Layout layout = Layout::shifted, class T>
__device__ void store_pack(T* to, Section s, int k, const Pack<T>& pack) {
    constexpr int size = Pack<T>::SIZE, unit = UNIT<layout, size>;
    T* const base = to + s.base;
    const int i = column_of<layout, size>(k * size);
    if constexpr (unit < size) {
        UNROLL for (int j = 0; j < size; j += unit) {
            const int c = column_of<layout, size>(k * size + j);
            Bits<unit, T> bits;
            memcpy(&bits, &pack.values[j], sizeof bits);
            if (c < s.end) *reinterpret_cast<Bits<unit, T>*>(base + c) = bits;
        }
    } else if (layout == Layout::whole ? i < s.end : i >= s.begin && i + size <= s.end) {
        uint4 bytes;
        memcpy(&bytes, &pack, sizeof bytes);
        __stcs(reinterpret_cast<uint4*>(base + i), bytes);
    } else if (layout == Layout::shifted && i + size > s.begin && i < s.end) {
        UNROLL for (int j = 0; j < size; j++) if (i + j >= s.begin && i + j < s.end) base[i + j] = pack.values[j];
    }
}

template <Layout layout = Layout::shifted, class T, int packs>
__device__ void store_packs(T* to, Section s, const Pack<T> (&part)[packs]) {
    UNROLL for (int k = 0; k < packs; k++) store_pack<layout>(to, s, k, part[k]);
}

// The same with elements as numbers: element j of pack k of array a is values[a][k * size + j].
template <Layout layout = Layout::shifted, bool last = false, class T, int arrays, int count>
__device__ void load(Number<T> (&values)[arrays][count], const T* const (&from)[arrays], Section s, T none) {
    constexpr int size = Pack<T>::SIZE;
    UNROLL for (int a = 0; a < arrays; a++) {
        Pack<T> part[count / size];
        load_packs<layout, last>(part, from[a], s, none);
        UNROLL for (int i = 0; i < count; i++) values[a][i] = number(part[i / size].values[i % size]);
    }
}

template <Layout layout = Layout::shifted, class T, int count>
__device__ void store(T* to, Section s, const Number<T> (&values)[count]) {
    constexpr int size = Pack<T>::SIZE;
    UNROLL for (int k = 0; k < count / size; k++) {
        Pack<T> pack;
        UNROLL for (int j = 0; j < size; j++) pack.values[j] = T(values[k * size + j]);
        store_pack<layout>(to, s, k, pack);
    }
}
