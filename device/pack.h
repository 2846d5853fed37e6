// pack.h: Pack<T> is 16 bytes of neighbouring elements, which a thread reads or writes with one instruction. `size` is
// the number of elements. Chapter 06 explains it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

template <class T, int size = 16 / sizeof(T)>
struct alignas(size * sizeof(T)) Pack {
    static constexpr int SIZE = size;
    T values[size];
};

// Like Pack, but needs no alignment, so the compiler reads it element by element.
template <class T>
struct LoosePack {
    static constexpr int SIZE = Pack<T>::SIZE;
    T values[SIZE];
};

// Whether p is a multiple of `bytes`, as a Pack of that size requires.
inline bool aligned(const void* p, size_t bytes = 16) { return reinterpret_cast<uintptr_t>(p) % bytes == 0; }

// The same bytes as another type. A pack goes into registers and out of them as uint4: of an assignment of a Pack, nvcc
// makes several loads or stores where it has taken the pack apart.
template <class To, class From>
__device__ To as(const From& from) {
    To to;
    static_assert(sizeof to == sizeof from, "the same bytes");
    memcpy(&to, &from, sizeof to);
    return to;
}

// The elements begin to end - 1 of the pack at `from`, and zeros. A whole pack is one load: then it has to be aligned.
template <class T>
__device__ uint4 load_part(const T* from, int begin, int end) {
    if (begin <= 0 && end >= Pack<T>::SIZE) return *reinterpret_cast<const uint4*>(from);
    Pack<T> pack = {};
    for (int j = 0; j < pack.SIZE; j++)
        if (begin <= j && j < end) pack.values[j] = from[j];
    return as<uint4>(pack);
}
