// pack.h: elements that lie one after another, 16 bytes of them unless another size is asked for: one instruction of a
// thread reads or writes them (chapter 06).
#pragma once
#include <cstddef>
#include <cstdint>

template <class T, int size = 16 / sizeof(T)>
struct alignas(size * sizeof(T)) Pack {
    static constexpr int SIZE = size;
    T values[size];
};

// A pack at any address: the compiler reads it element by element.
template <class T>
struct LoosePack {
    static constexpr int SIZE = Pack<T>::SIZE;
    T values[SIZE];
};

// Whether a Pack of so many bytes may lie there.
inline bool aligned(const void* p, size_t bytes = 16) { return reinterpret_cast<uintptr_t>(p) % bytes == 0; }
