// pack.h: 16 bytes of elements that lie one after another: one instruction of a thread reads or writes them (chapter
// 06).
#pragma once
#include <cstdint>

template <class T>
struct alignas(16) Pack {
    static constexpr int SIZE = 16 / sizeof(T);
    T values[SIZE];
};

// Whether a Pack may lie there.
inline bool aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }
