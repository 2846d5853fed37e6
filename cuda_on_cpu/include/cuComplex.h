// Complex numbers: real part in x, imaginary part in y.
#pragma once
#include "cuda_runtime.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

#pragma GCC visibility push(hidden)

#define CUDA_ON_CPU_COMPLEX(T, C, f, hypotenuse, make)                                                   \
    inline C make(T x, T y) { return {x, y}; }                                                           \
    inline T cuCreal##f(C z) { return z.x; }                                                             \
    inline T cuCimag##f(C z) { return z.y; }                                                             \
    inline C cuConj##f(C z) { return {z.x, -z.y}; }                                                      \
    inline C cuCadd##f(C a, C b) { return {a.x + b.x, a.y + b.y}; }                                      \
    inline C cuCsub##f(C a, C b) { return {a.x - b.x, a.y - b.y}; }                                      \
    inline C cuCmul##f(C a, C b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }              \
    inline C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); }                          \
    inline T cuCabs##f(C z) { return hypotenuse(z.x, z.y); }                                             \
    inline C cuCdiv##f(C a, C b) { /* scaled, so that nothing overflows on the way */                    \
        const T s = fabs##f(b.x) + fabs##f(b.y), ax = a.x / s, ay = a.y / s, bx = b.x / s, by = b.y / s; \
        const T d = bx * bx + by * by;                                                                   \
        return {(ax * bx + ay * by) / d, (ay * bx - ax * by) / d};                                       \
    }
CUDA_ON_CPU_COMPLEX(float, cuFloatComplex, f, hypotf, make_cuFloatComplex)
CUDA_ON_CPU_COMPLEX(double, cuDoubleComplex, , hypot, make_cuDoubleComplex)
#undef CUDA_ON_CPU_COMPLEX
inline cuComplex make_cuComplex(float x, float y) { return {x, y}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return {z.x, z.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return {float(z.x), float(z.y)}; }

#pragma GCC visibility pop
