// Functions of device code that C++ does not have, or not under this name.
// Results may differ from a GPU's in the last bits: nvcc contracts a * b + c to one rounding, and __expf() and its
// relatives are approximations there, while they are exact functions here.
#pragma once

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

// ---- min and max: CUDA has them for mixed types, and an unsigned one makes the result unsigned --------------------
#define CUDA_ON_CPU_MIN_MAX(T, A, B)                                                 \
    inline T min(A a, B b) { return static_cast<T>(a) < static_cast<T>(b) ? a : b; } \
    inline T max(A a, B b) { return static_cast<T>(a) > static_cast<T>(b) ? a : b; }
#define CUDA_ON_CPU_MIN_MAX_INTEGERS(S, U) \
    CUDA_ON_CPU_MIN_MAX(S, S, S)           \
    CUDA_ON_CPU_MIN_MAX(U, U, U)           \
    CUDA_ON_CPU_MIN_MAX(U, S, U)           \
    CUDA_ON_CPU_MIN_MAX(U, U, S)
CUDA_ON_CPU_MIN_MAX_INTEGERS(int, unsigned)
CUDA_ON_CPU_MIN_MAX_INTEGERS(long, unsigned long)
CUDA_ON_CPU_MIN_MAX_INTEGERS(long long, unsigned long long)
#undef CUDA_ON_CPU_MIN_MAX_INTEGERS
#undef CUDA_ON_CPU_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }  // of a number and a NaN: the number
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

// ---- functions -----------------------------------------------------------------------------------------------------
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1 / cbrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float fdividef(float x, float y) { return x / y; }
inline float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
inline float norm4df(float x, float y, float z, float w) { return sqrtf(x * x + y * y + z * z + w * w); }
inline float sinpif(float x) { return float(sin(3.14159265358979323846 * fmod(x, 2))); }
inline float cospif(float x) { return float(cos(3.14159265358979323846 * fmod(x, 2))); }
inline double sinpi(double x) { return sin(3.14159265358979323846 * fmod(x, 2)); }
inline double cospi(double x) { return cos(3.14159265358979323846 * fmod(x, 2)); }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
#ifdef __APPLE__  // glibc has these, under CUDA's names
inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
inline float exp10f(float x) { return powf(10, x); }
inline double exp10(double x) { return pow(10, x); }
#endif

// Fast approximations. Macros, because glibc declares functions of these names for its own use.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
#define __sincosf(x, s, c) sincosf(x, s, c)
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }  // NaN becomes 0
inline float __frcp_rn(float x) { return 1 / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return float(1 / sqrt(double(x))); }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
// nvcc never contracts these. The volatile keeps g++ and clang++ from it.
inline float __fmul_rn(float x, float y) {
    volatile float r = x * y;
    return r;
}
inline float __fadd_rn(float x, float y) {
    volatile float r = x + y;
    return r;
}
inline float __fsub_rn(float x, float y) {
    volatile float r = x - y;
    return r;
}
inline double __dmul_rn(double x, double y) {
    volatile double r = x * y;
    return r;
}
inline double __dadd_rn(double x, double y) {
    volatile double r = x + y;
    return r;
}

// ---- conversions: a float that does not fit becomes the nearest integer that does, NaN becomes 0 ------------------
namespace cuda_on_cpu {

template <class T>
T saturate(double x) {
    if (x != x) return 0;
    // T's largest value may not be a double: compare with the power of two above it.
    const double end = 2.0 * double(T(1) << (sizeof(T) * 8 - 1 - std::is_signed<T>::value));
    if (x >= end) return std::is_signed<T>::value ? T(~(T(1) << (sizeof(T) * 8 - 1))) : T(~T(0));
    const double least = std::is_signed<T>::value ? -end : 0;
    return x <= least ? T(least) : T(x);
}

}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_CONVERT(From, from, T, to)                                                       \
    inline T __##from##2##to##_rn(From x) { return cuda_on_cpu::saturate<T>(nearbyint(double(x))); } \
    inline T __##from##2##to##_rz(From x) { return cuda_on_cpu::saturate<T>(trunc(double(x))); }     \
    inline T __##from##2##to##_ru(From x) { return cuda_on_cpu::saturate<T>(ceil(double(x))); }      \
    inline T __##from##2##to##_rd(From x) { return cuda_on_cpu::saturate<T>(floor(double(x))); }     \
    inline From __##to##2##from##_rn(T x) { return From(x); }
CUDA_ON_CPU_CONVERT(float, float, int, int)
CUDA_ON_CPU_CONVERT(float, float, unsigned, uint)
CUDA_ON_CPU_CONVERT(float, float, long long, ll)
CUDA_ON_CPU_CONVERT(float, float, unsigned long long, ull)
CUDA_ON_CPU_CONVERT(double, double, int, int)
CUDA_ON_CPU_CONVERT(double, double, unsigned, uint)
CUDA_ON_CPU_CONVERT(double, double, long long, ll)
CUDA_ON_CPU_CONVERT(double, double, unsigned long long, ull)
#undef CUDA_ON_CPU_CONVERT
inline float __double2float_rn(double x) { return float(x); }

#define CUDA_ON_CPU_BITS(name, From, To) \
    inline To name(From x) {             \
        To to;                           \
        memcpy(&to, &x, sizeof to);      \
        return to;                       \
    }
CUDA_ON_CPU_BITS(__float_as_int, float, int)
CUDA_ON_CPU_BITS(__float_as_uint, float, unsigned)
CUDA_ON_CPU_BITS(__int_as_float, int, float)
CUDA_ON_CPU_BITS(__uint_as_float, unsigned, float)
CUDA_ON_CPU_BITS(__double_as_longlong, double, long long)
CUDA_ON_CPU_BITS(__longlong_as_double, long long, double)
#undef CUDA_ON_CPU_BITS

// ---- integers ------------------------------------------------------------------------------------------------------
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

// ---- loads and stores with a hint for a GPU's caches ---------------------------------------------------------------
template <class T>
T __ldg(const T* p) {
    return *p;
}
template <class T>
T __ldca(const T* p) {
    return *p;
}
template <class T>
T __ldcg(const T* p, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::spin("__ldcg()", where);  // these see what other threads write meanwhile
    return *p;
}
template <class T>
T __ldcs(const T* p) {
    return *p;
}
template <class T>
T __ldlu(const T* p) {
    return *p;
}
template <class T>
T __ldcv(const T* p, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::spin("__ldcv()", where);  // these see what other threads write meanwhile
    return *p;
}
template <class T>
void __stwb(T* p, T value) {
    *p = value;
}
template <class T>
void __stcg(T* p, T value) {
    *p = value;
}
template <class T>
void __stcs(T* p, T value) {
    *p = value;
}
template <class T>
void __stwt(T* p, T value) {
    *p = value;
}

// ---- hints about the memory into which a pointer leads; here, all of it is the host's ------------------------------
[[gnu::const]] inline unsigned __isGlobal(const void*) { return 1; }
[[gnu::const]] inline unsigned __isShared(const void*) { return 1; }

// ---- time ----------------------------------------------------------------------------------------------------------
inline long long clock64() {  // clock() is C's
    return std::chrono::steady_clock::now().time_since_epoch().count();
}
inline void __nanosleep(unsigned, cuda_on_cpu::Location where = {}) { cuda_on_cpu::give_turn("__nanosleep()", where); }

#pragma GCC visibility pop
