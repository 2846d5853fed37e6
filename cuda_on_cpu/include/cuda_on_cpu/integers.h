// Functions on integers, and on several small ones in a word.
#pragma once

#include "cuda_on_cpu/keywords.h"
#include "cuda_on_cpu/vector_types.h"

#pragma GCC visibility push(hidden)

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i);
    return r;
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
inline int __mul24(int a, int b) {  // the low 24 bits of each, signed
    return int(unsigned(int(unsigned(a) << 8) >> 8) * unsigned(int(unsigned(b) << 8) >> 8));
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
__extension__ typedef __int128 cuda_on_cpu_int128;  // __extension__: or -Wpedantic complains
__extension__ typedef unsigned __int128 cuda_on_cpu_uint128;
inline long long __mul64hi(long long a, long long b) { return (long long)(cuda_on_cpu_int128(a) * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(cuda_on_cpu_uint128(a) * b >> 64);
}
inline unsigned __sad(int a, int b, unsigned c) {
    return (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b)) + c;
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
inline int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b + 1) >> 1); }
inline int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const uint64_t bytes = uint64_t(b) << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= unsigned(bytes >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
    return r;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned((uint64_t(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned((uint64_t(high) << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {  // clamped: 32 and more are 32
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// ---- dot products of small integers --------------------------------------------------------------------------------
// The sums wrap around. _lo takes the lower two bytes of b, _hi the upper two.
#define CUDA_ON_CPU_DOT(T, Vector4, Vector2, Word)                                                             \
    inline T __dp4a(Vector4 a, Vector4 b, T c) {                                                               \
        return T(unsigned(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) + unsigned(c));                       \
    }                                                                                                          \
    inline T __dp2a_lo(Vector2 a, Vector4 b, T c) { return T(unsigned(a.x * b.x + a.y * b.y) + unsigned(c)); } \
    inline T __dp2a_hi(Vector2 a, Vector4 b, T c) { return T(unsigned(a.x * b.z + a.y * b.w) + unsigned(c)); } \
    inline T __dp4a(T a, T b, T c) { return __dp4a(Word<Vector4>(a), Word<Vector4>(b), c); }                   \
    inline T __dp2a_lo(T a, T b, T c) { return __dp2a_lo(Word<Vector2>(a), Word<Vector4>(b), c); }             \
    inline T __dp2a_hi(T a, T b, T c) { return __dp2a_hi(Word<Vector2>(a), Word<Vector4>(b), c); }

namespace cuda_on_cpu {

template <class Vector, class T>
Vector unpack(T word) {
    static_assert(sizeof(Vector) == sizeof(T));
    Vector v;
    memcpy(&v, &word, sizeof v);
    return v;
}

}  // namespace cuda_on_cpu

CUDA_ON_CPU_DOT(int, char4, short2, cuda_on_cpu::unpack)
CUDA_ON_CPU_DOT(unsigned, uchar4, ushort2, cuda_on_cpu::unpack)
#undef CUDA_ON_CPU_DOT

// ---- two 16-bit or four 8-bit numbers in a word --------------------------------------------------------------------

namespace cuda_on_cpu {

template <class T, class F>
unsigned each(unsigned a, unsigned b, F f) {
    unsigned result = 0;
    for (unsigned shift = 0; shift < 32; shift += sizeof(T) * 8) {
        const int x = T(a >> shift), y = T(b >> shift);
        result |= (unsigned(f(x, y)) & (~0u >> (32 - sizeof(T) * 8))) << shift;
    }
    return result;
}

template <class T, class F>
unsigned sum_of_each(unsigned a, unsigned b, F f) {
    unsigned sum = 0;
    for (unsigned shift = 0; shift < 32; shift += sizeof(T) * 8)
        sum += unsigned(f(int(T(a >> shift)), int(T(b >> shift))));
    return sum;
}

template <class T>
int clamped(int x) {
    const int bits = sizeof(T) * 8, least = T(-1) < 0 ? -(1 << (bits - 1)) : 0;
    const int largest = T(-1) < 0 ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    return x < least ? least : x > largest ? largest : x;
}

}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_EACH(name, T, expression)                                       \
    inline unsigned name(unsigned a, unsigned b) {                                  \
        return cuda_on_cpu::each<T>(a, b, [](int x, int y) { return expression; }); \
    }
#define CUDA_ON_CPU_EACH_1(name, T, expression)                                   \
    inline unsigned name(unsigned a) {                                            \
        return cuda_on_cpu::each<T>(a, 0, [](int x, int) { return expression; }); \
    }
#define CUDA_ON_CPU_SUM(name, T, expression)                                               \
    inline unsigned name(unsigned a, unsigned b) {                                         \
        return cuda_on_cpu::sum_of_each<T>(a, b, [](int x, int y) { return expression; }); \
    }
#define CUDA_ON_CPU_COMPARE(name, n, T, op)               \
    CUDA_ON_CPU_EACH(__vcmp##name##n, T, x op y ? -1 : 0) \
    CUDA_ON_CPU_EACH(__vset##name##n, T, x op y)
#define CUDA_ON_CPU_PACKED(n, S, U)                                             \
    CUDA_ON_CPU_EACH(__vadd##n, U, x + y)                                       \
    CUDA_ON_CPU_EACH(__vsub##n, U, x - y)                                       \
    CUDA_ON_CPU_EACH(__vaddss##n, S, cuda_on_cpu::clamped<S>(x + y))            \
    CUDA_ON_CPU_EACH(__vaddus##n, U, cuda_on_cpu::clamped<U>(x + y))            \
    CUDA_ON_CPU_EACH(__vsubss##n, S, cuda_on_cpu::clamped<S>(x - y))            \
    CUDA_ON_CPU_EACH(__vsubus##n, U, cuda_on_cpu::clamped<U>(x - y))            \
    CUDA_ON_CPU_EACH(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)                \
    CUDA_ON_CPU_EACH(__vavgu##n, U, (x + y + 1) >> 1)                           \
    CUDA_ON_CPU_EACH(__vhaddu##n, U, (x + y) >> 1)                              \
    CUDA_ON_CPU_EACH(__vmaxs##n, S, x > y ? x : y)                              \
    CUDA_ON_CPU_EACH(__vmaxu##n, U, x > y ? x : y)                              \
    CUDA_ON_CPU_EACH(__vmins##n, S, x < y ? x : y)                              \
    CUDA_ON_CPU_EACH(__vminu##n, U, x < y ? x : y)                              \
    CUDA_ON_CPU_EACH(__vabsdiffs##n, S, x > y ? x - y : y - x)                  \
    CUDA_ON_CPU_EACH(__vabsdiffu##n, U, x > y ? x - y : y - x)                  \
    CUDA_ON_CPU_SUM(__vsads##n, S, x > y ? x - y : y - x)                       \
    CUDA_ON_CPU_SUM(__vsadu##n, U, x > y ? x - y : y - x)                       \
    CUDA_ON_CPU_EACH_1(__vabs##n, S, x < 0 ? -x : x)                            \
    CUDA_ON_CPU_EACH_1(__vabsss##n, S, cuda_on_cpu::clamped<S>(x < 0 ? -x : x)) \
    CUDA_ON_CPU_EACH_1(__vneg##n, S, -x)                                        \
    CUDA_ON_CPU_EACH_1(__vnegss##n, S, cuda_on_cpu::clamped<S>(-x))             \
    CUDA_ON_CPU_COMPARE(eq, n, U, ==)                                           \
    CUDA_ON_CPU_COMPARE(ne, n, U, !=)                                           \
    CUDA_ON_CPU_COMPARE(ges, n, S, >=)                                          \
    CUDA_ON_CPU_COMPARE(geu, n, U, >=)                                          \
    CUDA_ON_CPU_COMPARE(gts, n, S, >)                                           \
    CUDA_ON_CPU_COMPARE(gtu, n, U, >)                                           \
    CUDA_ON_CPU_COMPARE(les, n, S, <=)                                          \
    CUDA_ON_CPU_COMPARE(leu, n, U, <=)                                          \
    CUDA_ON_CPU_COMPARE(lts, n, S, <)                                           \
    CUDA_ON_CPU_COMPARE(ltu, n, U, <)
CUDA_ON_CPU_PACKED(2, short, unsigned short)
CUDA_ON_CPU_PACKED(4, signed char, unsigned char)
#undef CUDA_ON_CPU_PACKED
#undef CUDA_ON_CPU_COMPARE
#undef CUDA_ON_CPU_SUM
#undef CUDA_ON_CPU_EACH_1
#undef CUDA_ON_CPU_EACH

#pragma GCC visibility pop
