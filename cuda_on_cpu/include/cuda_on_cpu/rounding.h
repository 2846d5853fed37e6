// Arithmetic with the rounding in its name: _rn to nearest (even), _rz toward zero, _ru up, _rd down.
#pragma once

#include <fenv.h>

#include "cuda_on_cpu/keywords.h"

#pragma GCC visibility push(hidden)

// In the macros, x, y and z are volatile. That keeps the operation between the two calls of fesetround(), and keeps it
// one operation: a compiler may contract a * b + c, and calculate what is constant in another rounding.
#define CUDA_ON_CPU_ROUNDED(R, name, T, parameters, a, b, c, expression)                    \
    CUDA_ON_CPU_ROUNDED_IN(R, name##_rz, FE_TOWARDZERO, T, parameters, a, b, c, expression) \
    CUDA_ON_CPU_ROUNDED_IN(R, name##_ru, FE_UPWARD, T, parameters, a, b, c, expression)     \
    CUDA_ON_CPU_ROUNDED_IN(R, name##_rd, FE_DOWNWARD, T, parameters, a, b, c, expression)   \
    inline R name##_rn parameters {                                                         \
        [[maybe_unused]] const volatile T x = a, y = b, z = c;                              \
        const volatile R result = R(expression);                                            \
        return result;                                                                      \
    }
#define CUDA_ON_CPU_ROUNDED_IN(R, name, mode, T, parameters, a, b, c, expression) \
    inline R name parameters {                                                    \
        [[maybe_unused]] const volatile T x = a, y = b, z = c;                    \
        const int before = fegetround();                                          \
        fesetround(mode);                                                         \
        const volatile R result = R(expression);                                  \
        fesetround(before);                                                       \
        return result;                                                            \
    }
#define CUDA_ON_CPU_ROUNDED_1(R, name, T, expression) CUDA_ON_CPU_ROUNDED(R, name, T, (T a), a, 0, 0, expression)
#define CUDA_ON_CPU_ROUNDED_2(T, name, expression) CUDA_ON_CPU_ROUNDED(T, name, T, (T a, T b), a, b, 0, expression)
CUDA_ON_CPU_ROUNDED_2(float, __fadd, x + y)
CUDA_ON_CPU_ROUNDED_2(float, __fsub, x - y)
CUDA_ON_CPU_ROUNDED_2(float, __fmul, x* y)
CUDA_ON_CPU_ROUNDED_2(float, __fdiv, x / y)
CUDA_ON_CPU_ROUNDED_2(double, __dadd, x + y)
CUDA_ON_CPU_ROUNDED_2(double, __dsub, x - y)
CUDA_ON_CPU_ROUNDED_2(double, __dmul, x* y)
CUDA_ON_CPU_ROUNDED_2(double, __ddiv, x / y)
CUDA_ON_CPU_ROUNDED(float, __fmaf, float, (float a, float b, float c), a, b, c, fmaf(x, y, z))
CUDA_ON_CPU_ROUNDED(double, __fma, double, (double a, double b, double c), a, b, c, fma(x, y, z))
CUDA_ON_CPU_ROUNDED_1(float, __frcp, float, 1 / x)
CUDA_ON_CPU_ROUNDED_1(double, __drcp, double, 1 / x)
CUDA_ON_CPU_ROUNDED_1(float, __fsqrt, float, sqrtf(x))
CUDA_ON_CPU_ROUNDED_1(double, __dsqrt, double, sqrt(x))
inline float __frsqrt_rn(float x) { return float(1 / sqrt(double(x))); }

// From a type with more digits.
CUDA_ON_CPU_ROUNDED_1(float, __double2float, double, x)
CUDA_ON_CPU_ROUNDED_1(float, __int2float, int, x)
CUDA_ON_CPU_ROUNDED_1(float, __uint2float, unsigned, x)
CUDA_ON_CPU_ROUNDED_1(float, __ll2float, long long, x)
CUDA_ON_CPU_ROUNDED_1(float, __ull2float, unsigned long long, x)
CUDA_ON_CPU_ROUNDED_1(double, __ll2double, long long, x)
CUDA_ON_CPU_ROUNDED_1(double, __ull2double, unsigned long long, x)
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
#undef CUDA_ON_CPU_ROUNDED_2
#undef CUDA_ON_CPU_ROUNDED_1
#undef CUDA_ON_CPU_ROUNDED_IN
#undef CUDA_ON_CPU_ROUNDED

#pragma GCC visibility pop
