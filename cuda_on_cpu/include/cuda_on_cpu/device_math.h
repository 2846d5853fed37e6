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
inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// ---- functions -----------------------------------------------------------------------------------------------------
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1 / cbrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float fdividef(float x, float y) { return x / y; }
inline float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
inline double rhypot(double x, double y) { return 1 / hypot(x, y); }
inline double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
inline double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
inline float rnorm3df(float x, float y, float z) { return float(1 / norm3d(x, y, z)); }
inline float rnorm4df(float x, float y, float z, float w) { return float(1 / norm4d(x, y, z, w)); }
inline double rnorm3d(double x, double y, double z) { return 1 / norm3d(x, y, z); }
inline double rnorm4d(double x, double y, double z, double w) { return 1 / norm4d(x, y, z, w); }
inline double norm(int n, const double* x) {
    double length = 0;
    for (int i = 0; i < n; i++) length = hypot(length, x[i]);
    return length;
}
inline float normf(int n, const float* x) {
    double length = 0;
    for (int i = 0; i < n; i++) length = hypot(length, double(x[i]));
    return float(length);
}
inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
inline float norm4df(float x, float y, float z, float w) { return sqrtf(x * x + y * y + z * z + w * w); }
inline float sinpif(float x) { return float(sin(3.14159265358979323846 * fmod(x, 2))); }
inline float cospif(float x) { return float(cos(3.14159265358979323846 * fmod(x, 2))); }
inline double sinpi(double x) { return sin(3.14159265358979323846 * fmod(x, 2)); }
inline double cospi(double x) { return cos(3.14159265358979323846 * fmod(x, 2)); }
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
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
#define __tanhf(x) tanhf(x)
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }  // NaN becomes 0

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
    inline T __##from##2##to##_rd(From x) { return cuda_on_cpu::saturate<T>(floor(double(x))); }
CUDA_ON_CPU_CONVERT(float, float, int, int)
CUDA_ON_CPU_CONVERT(float, float, unsigned, uint)
CUDA_ON_CPU_CONVERT(float, float, long long, ll)
CUDA_ON_CPU_CONVERT(float, float, unsigned long long, ull)
CUDA_ON_CPU_CONVERT(double, double, int, int)
CUDA_ON_CPU_CONVERT(double, double, unsigned, uint)
CUDA_ON_CPU_CONVERT(double, double, long long, ll)
CUDA_ON_CPU_CONVERT(double, double, unsigned long long, ull)
#undef CUDA_ON_CPU_CONVERT

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
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return int(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)unsigned(high) << 32 | unsigned(low)));
}

#pragma GCC visibility pop
