// number.h: the type in which a kernel computes, and functions that are there for float and for double. Copy this file
// into a project of your own.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

// float16 and bfloat16 save memory: each element takes half the bytes of a float. Their numbers become floats when they
// are read, and a result is rounded once, when it is written.
template <class T>
using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;

// torch's flags disable float(x) for half precision, so we call the conversions by name.
__device__ inline float number(float x) { return x; }
__device__ inline double number(double x) { return x; }
__device__ inline float number(__half x) { return __half2float(x); }
__device__ inline float number(__nv_bfloat16 x) { return __bfloat162float(x); }

__device__ inline float larger(float a, float b) { return fmaxf(a, b); }
__device__ inline double larger(double a, double b) { return fmax(a, b); }

// exp(x) for x <= 0. `ex2.approx` is 2 to the power of x: the product and ex2 are 2 instructions, expf takes 8, and its
// relative error grows with |x|: up to 5e-7 for exp(-10), 4e-6 for exp(-80). "ftz": below 1e-38 it is 0.
__device__ inline float fast_exp(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * 1.442695041f));  // 1 / ln 2
    return result;
}
__device__ inline double fast_exp(double x) { return exp(x); }
