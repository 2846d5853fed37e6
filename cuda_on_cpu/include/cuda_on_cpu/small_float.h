// Numbers of 8 and 16 bits as IEEE 754 builds them: a sign, EXPONENT bits, MANTISSA bits. What a CPU cannot calculate
// with is calculated in double and rounded once: no table and no instruction of one CPU, so all machines agree in bits.
#pragma once

#include "cuda_on_cpu/device_math.h"  // saturate()

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

enum class Rounding { nearest_even, toward_zero, down, up };

// The largest number has the pattern LARGEST; the next pattern stands for what is larger still. In all formats that is
// infinity, except in E4M3, which has none and uses its last pattern, NaN.
template <int EXPONENT, int MANTISSA, unsigned LARGEST = (((1u << EXPONENT) - 1) << MANTISSA) - 1>
struct SmallFloat {
    static constexpr unsigned sign = 1u << (EXPONENT + MANTISSA), nan = sign - 1, infinity = LARGEST + 1;
    static constexpr int bias = (1 << (EXPONENT - 1)) - 1;

    static unsigned from_double(double x, Rounding rounding = Rounding::nearest_even) {
        uint64_t u;
        memcpy(&u, &x, sizeof u);
        const bool negative = u >> 63;
        u &= ~uint64_t(0) >> 1;
        const uint64_t infinite = uint64_t(2047) << 52, smallest_normal = uint64_t(1024 - bias) << 52;
        const bool is_infinite = u == infinite;
        if (u > infinite) return nan;

        int dropped = 52 - MANTISSA;  // so many bits of u do not fit
        if (u >= smallest_normal) {
            u -= uint64_t(1023 - bias) << 52;  // the exponent as the small format writes it; it may not fit
        } else {
            // Subnormal: the exponent stays the smallest, and the number loses more bits. From 54 on all are lost, and
            // what is left of them is less than a half. (double's own subnormal numbers are far below that.)
            dropped = std::min(54, dropped + 1024 - bias - int(u >> 52));
            if (u) u = (u & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
        }
        uint64_t kept = u >> dropped;
        const uint64_t rest = u & ((uint64_t(1) << dropped) - 1), half = uint64_t(1) << (dropped - 1);
        const bool nearest = rounding == Rounding::nearest_even;
        const bool outwards = rounding == (negative ? Rounding::down : Rounding::up);
        kept += nearest ? rest + (kept & 1) > half : outwards && rest;  // a tie goes to the even one; a carry is right
        if (kept > LARGEST) kept = nearest || outwards || is_infinite ? infinity : LARGEST;
        return unsigned(kept) | (negative ? sign : 0);
    }

    // The same, but NaN keeps its sign and its first bits, and is a quiet one: as an H200 converts a double.
    static unsigned from_double_with_nan(double x) {
        if (x == x) return from_double(x);
        uint64_t u;
        memcpy(&u, &x, sizeof u);
        return unsigned(u >> 63) * sign | infinity | 1u << (MANTISSA - 1) |
               (unsigned(u >> (52 - MANTISSA)) & ((1u << MANTISSA) - 1));
    }

    static float to_float(unsigned bits) {
        const unsigned u = bits & nan, sign_of_float = bits & sign ? 1u << 31 : 0;
        if constexpr (EXPONENT == 8) return float_of(u << 16 | sign_of_float);  // bfloat16 is the upper half of a float
        if (u > LARGEST) return float_of(u == infinity && u != nan ? 0x7f800000 | sign_of_float : 0x7fffffff);
        if (u >> MANTISSA) return float_of((u << (23 - MANTISSA)) + (unsigned(127 - bias) << 23) + sign_of_float);
        const float step = float_of(unsigned(128 - bias - MANTISSA) << 23);  // the smallest subnormal number
        return float(int(u)) * (sign_of_float ? -step : step);
    }

    static float float_of(uint32_t bits) {
        float x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
};

// a * b + c for 16-bit numbers as a double that from_double() rounds as it would round the exact value. The product has
// at most 22 bits and is exact. The sum may not be; rounding it to double and then to 16 bits could be wrong when the
// first lands on a tie of the second. So the sum is rounded to odd: cut off, and its last bit set if anything was lost.
// Such a number is never a tie, and lies on the same side of every tie as the exact value (double has 42 bits more).
inline double fused_multiply_add(double a, double b, double c) {
    const double product = a * b, sum = product + c;
    const double rounded = sum - product, lost = (product - (sum - rounded)) + (c - rounded);  // exact (Knuth's TwoSum)
    uint64_t u;
    memcpy(&u, &sum, sizeof u);
    if (lost != 0 && lost - lost == 0 && !(u & 1)) u += (lost > 0) == (sum > 0) ? 1 : -1;  // infinities lose NaN
    double odd;
    memcpy(&odd, &u, sizeof odd);
    return odd;
}

// An integer as a double that rounds to few bits as the integer would: what a double cannot hold leaves a mark in its
// last bit.
template <class T>
double sticky_double(T i) {
    uint64_t u = i < 0 ? -uint64_t(i) : uint64_t(i);
    if (u >> 53) u = (u >> 11 | ((u & 2047) != 0)) << 11;
    return i < 0 ? -double(u) : double(u);
}

// To an integer. What does not fit becomes the nearest that does; NaN becomes 0, and 2^63 where there are 64 bits.
template <class T>
T to_integer(double x) {
    return sizeof(T) == 8 && x != x ? T(uint64_t(1) << 63) : saturate<T>(x);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
