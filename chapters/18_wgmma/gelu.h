// gelu.h: F.gelu of a float, with few instructions. Accurate where float16 and bfloat16 need it: also where the result
// is tiny. No torch header in here.
#pragma once
#include <cuda_runtime.h>

// One instruction each, with a relative error near 2^-22. ftz: what is below 1.2e-38 becomes 0.
__device__ inline float power_of_2(float x) {
    asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
}
__device__ inline float reciprocal(float x) {
    asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
}

// x times the probability P(x) that a normal random number is below x. For y = |x|, P(-y) = exp(-y^2 / 2) t p(t) with
// t = 1 / (1 + 0.376 y); the coefficients of p were fitted so that the relative error is below 3e-5 wherever P(-y) is
// at least 1e-38. (erff costs twice as much, and 1 + erf(x) loses all digits where it is tiny.) x P(x) = max(x, 0) - y
// P(-y). For -infinity this is infinity * 0, which is NaN, as F.gelu is. For +infinity, y is 64, which avoids
// infinity * 0.
__device__ inline float gelu(float x) {
    const float y = fmaxf(-x, fminf(x, 64.0f)), t = reciprocal(fmaf(0.376f, y, 1.0f));
    const float p =
        fmaf(fmaf(fmaf(fmaf(-0.091117738f, t, 0.199318964f), t, 0.084269896f), t, 0.158052220f), t, 0.149462902f);
    const float tail = power_of_2(x * x * -0.721347520f) * (t * p);  // exp(-x^2 / 2): 0.72 is half of 1 / ln 2
    return fmaf(-y, tail, fmaxf(x, 0.0f));
}

// x (1 + tanh u) / 2 = x / (1 + exp(-2 u)), where u = sqrt(2 / pi) (x + 0.044715 x^3). (The instruction tanh.approx has
// an absolute error of 2^-11, which is a large part of the result where tanh u is almost -1.)
__device__ inline float gelu_tanh(float x) {
    const float c = -2.302208198f;  // -2 sqrt(2 / pi) / ln 2
    return x * reciprocal(1.0f + power_of_2(x * fmaf(c * 0.044715f, x * x, c)));
}
