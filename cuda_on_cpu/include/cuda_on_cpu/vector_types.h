// float4 and its family. Two or four elements are aligned as a whole (at most to 16 bytes), because a GPU moves them in
// one instruction; three are not.
#pragma once

#define CUDA_ON_CPU_VECTOR(T, name)                                               \
    struct name##1 { T x; };                                                      \
    struct alignas(2 * sizeof(T)) name##2 { T x, y; };                            \
    struct name##3 { T x, y, z; };                                                \
    struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) name##4 { T x, y, z, w; }; \
    static inline name##1 make_##name##1(T x) { return {x}; }                     \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }             \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }     \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

CUDA_ON_CPU_VECTOR(signed char, char)
CUDA_ON_CPU_VECTOR(unsigned char, uchar)
CUDA_ON_CPU_VECTOR(short, short)
CUDA_ON_CPU_VECTOR(unsigned short, ushort)
CUDA_ON_CPU_VECTOR(int, int)
CUDA_ON_CPU_VECTOR(unsigned, uint)
CUDA_ON_CPU_VECTOR(long, long)
CUDA_ON_CPU_VECTOR(unsigned long, ulong)
CUDA_ON_CPU_VECTOR(long long, longlong)
CUDA_ON_CPU_VECTOR(unsigned long long, ulonglong)
CUDA_ON_CPU_VECTOR(float, float)
CUDA_ON_CPU_VECTOR(double, double)
#undef CUDA_ON_CPU_VECTOR

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
