// Inline PTX: arithmetic. What PTX calls approximate is worked out exactly, or to the last bit but one.
#pragma once

#include "cuda_on_cpu/ptx.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

template <class T>
constexpr bool is_integer = std::is_integral<T>::value;
template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>  // twice as wide
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed<T>::value, s32, u32>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed<T>::value, s64, u64>,
                       std::conditional_t<std::is_signed<T>::value, cuda_on_cpu_int128, cuda_on_cpu_uint128>>>;
template <class T>
constexpr int bits = int(8 * sizeof(T));

template <class T>
T copy(T a) {
    return a;
}
template <class Whole, class Part, size_t N>
Whole pack(std::array<Part, N> parts) {
    return bit_copy<Whole>(parts);
}
template <size_t N, class Whole>
auto unpack(Whole whole) {
    using Part = std::conditional_t<sizeof(Whole) / N == 4, b32, std::conditional_t<sizeof(Whole) / N == 2, b16, b8>>;
    return bit_copy<std::array<Part, N>>(whole);
}

template <class T>
auto plain(T a) {  // as a type of C++
    if constexpr (std::is_arithmetic<T>::value)
        return a;
    else
        return a.value();
}
template <class T>
bool is_nan(T a) {
    if constexpr (is_integer<T>)
        return false;
    else
        return plain(a) != plain(a);
}
template <class T>
T canonical_nan() {
    if constexpr (std::is_arithmetic<T>::value)
        return bit_copy<T>(Unsigned<std::conditional_t<sizeof(T) == 4, s32, s64>>(~0ull) >> 1);
    else
        return {0x7fff};
}

// ---- integers wrap around; sums and products of floating-point numbers are not fused -------------------------------
#define CUDA_ON_CPU_ARITHMETIC(name, op)                          \
    template <class T>                                            \
    T name(T a, T b) {                                            \
        if constexpr (is_integer<T>) {                            \
            return T(u64(a) op u64(b));                           \
        } else if constexpr (std::is_arithmetic<T>::value) {      \
            volatile T result = a op b;                           \
            return result;                                        \
        } else {                                                  \
            return T::of(double(a.value()) op double(b.value())); \
        }                                                         \
    }
CUDA_ON_CPU_ARITHMETIC(add, +)
CUDA_ON_CPU_ARITHMETIC(sub, -)
CUDA_ON_CPU_ARITHMETIC(mul, *)
#undef CUDA_ON_CPU_ARITHMETIC
template <class T>
T div(T a, T b) {
    if constexpr (!is_integer<T>) return a / b;
    if constexpr (is_integer<T>)
        return b == 0 ? T(-1) : b == T(-1) && std::is_signed<T>::value ? T(0 - u64(a)) : T(a / b);
}
template <class T>
T rem(T a, T b) {
    return b == 0 ? a : b == T(-1) && std::is_signed<T>::value ? T(0) : T(a % b);
}
template <class T>
bool less(T a, T b) {  // -0 is less than +0
    const auto x = plain(a), y = plain(b);
    return x < y || (x == y && std::signbit(x) && !std::signbit(y));
}
template <class T>
T min(T a, T b) {
    if (is_nan(a)) return is_nan(b) ? canonical_nan<T>() : b;
    return less(b, a) ? b : a;
}
template <class T>
T max(T a, T b) {
    if (is_nan(a)) return is_nan(b) ? canonical_nan<T>() : b;
    return less(a, b) ? b : a;
}
template <class T>
T min_nan(T a, T b) {
    return is_nan(a) || is_nan(b) ? canonical_nan<T>() : min(a, b);
}
template <class T>
T max_nan(T a, T b) {
    return is_nan(a) || is_nan(b) ? canonical_nan<T>() : max(a, b);
}
template <class T>
T neg(T a) {
    if constexpr (is_integer<T>)
        return T(0 - u64(a));
    else if constexpr (std::is_arithmetic<T>::value)
        return -a;
    else
        return {uint16_t(a.bits ^ 0x8000)};
}
template <class T>
T abs(T a) {
    if constexpr (is_integer<T>)
        return a < 0 ? neg(a) : a;
    else if constexpr (std::is_arithmetic<T>::value)
        return fabs(a);
    else
        return {uint16_t(a.bits & 0x7fff)};
}

// ---- integers ------------------------------------------------------------------------------------------------------
inline s32 clamp(s64 x) { return s32(std::max<s64>(INT_MIN, std::min<s64>(INT_MAX, x))); }
inline s32 add_sat(s32 a, s32 b) { return clamp(s64(a) + b); }
inline s32 sub_sat(s32 a, s32 b) { return clamp(s64(a) - b); }
template <class T>
Wide<T> mul_wide(T a, T b) {
    return Wide<T>(a) * Wide<T>(b);
}
template <class T>
T mul_hi(T a, T b) {
    return T(mul_wide(a, b) >> bits<T>);
}
template <class T>
T mad_lo(T a, T b, T c) {
    return add(mul(a, b), c);
}
template <class T>
T mad_hi(T a, T b, T c) {
    return add(mul_hi(a, b), c);
}
inline s32 mad_hi_sat(s32 a, s32 b, s32 c) { return add_sat(mul_hi(a, b), c); }
template <class T>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
    return add(mul_wide(a, b), c);
}
template <class T>
T sad(T a, T b, T c) {
    return add(c, a < b ? sub(b, a) : sub(a, b));
}

// ---- floating point ------------------------------------------------------------------------------------------------
template <class T>
T copysign(T a, T b) {  // of a the sign
    return ::copysign(b, a);
}
template <class T>
T fma(T a, T b, T c) {
    if constexpr (std::is_arithmetic<T>::value)
        return std::fma(a, b, c);
    else
        return T::of(fused_multiply_add(a.value(), b.value(), c.value()));
}

// Rounded toward 0 (_rz), down (_rm), up (_rp).
#define CUDA_ON_CPU_DIRECTED(ptx, cuda)                                          \
    inline f32 add_##ptx(f32 a, f32 b) { return __fadd_##cuda(a, b); }           \
    inline f64 add_##ptx(f64 a, f64 b) { return __dadd_##cuda(a, b); }           \
    inline f32 sub_##ptx(f32 a, f32 b) { return __fsub_##cuda(a, b); }           \
    inline f64 sub_##ptx(f64 a, f64 b) { return __dsub_##cuda(a, b); }           \
    inline f32 mul_##ptx(f32 a, f32 b) { return __fmul_##cuda(a, b); }           \
    inline f64 mul_##ptx(f64 a, f64 b) { return __dmul_##cuda(a, b); }           \
    inline f32 fma_##ptx(f32 a, f32 b, f32 c) { return __fmaf_##cuda(a, b, c); } \
    inline f64 fma_##ptx(f64 a, f64 b, f64 c) { return __fma_##cuda(a, b, c); }
CUDA_ON_CPU_DIRECTED(rz, rz)
CUDA_ON_CPU_DIRECTED(rm, rd)
CUDA_ON_CPU_DIRECTED(rp, ru)
#undef CUDA_ON_CPU_DIRECTED

template <class T>
T rcp(T x) {
    return 1 / x;
}
template <class T>
T sqrt(T x) {
    return std::sqrt(x);
}
template <class T>
T rsqrt(T x) {
    return T(1 / std::sqrt(f64(x)));
}
#define CUDA_ON_CPU_APPROXIMATE(name, function)                               \
    inline f32 name(f32 x) { return std::function(x); }                       \
    inline f16 name(f16 x) { return f16::of(std::function(f64(x.value()))); } \
    inline bf16 name(bf16 x) { return bf16::of(std::function(f64(x.value()))); }
CUDA_ON_CPU_APPROXIMATE(ex2, exp2)
CUDA_ON_CPU_APPROXIMATE(lg2, log2)
CUDA_ON_CPU_APPROXIMATE(sin, sin)
CUDA_ON_CPU_APPROXIMATE(cos, cos)
CUDA_ON_CPU_APPROXIMATE(tanh, tanh)
#undef CUDA_ON_CPU_APPROXIMATE

// .ftz: numbers too small for a full mantissa become 0; .sat: from 0 to 1, and NaN becomes 0; .relu: not below 0.
template <class T>
T flush(T x) {
    if constexpr (std::is_same<T, f32>::value)
        return fabsf(x) < 0x1p-126f ? ::copysignf(0, x) : x;
    else if constexpr (std::is_same<T, f16>::value)
        return x.bits & 0x7c00 ? x : T{uint16_t(x.bits & 0x8000)};
    else
        return x;
}
template <class T>
T saturate(T x) {
    if constexpr (is_integer<T>)
        return x;  // the result of a conversion, which saturates anyway
    else if constexpr (std::is_arithmetic<T>::value)
        return x > 0 ? x < 1 ? x : T(1) : T(0);
    else
        return x.value() > 0 ? x.value() < 1 ? x : T::of(1) : T::of(0);
}
template <class T>
T relu(T x) {
    return plain(x) > 0 || is_nan(x) ? x : T{0};
}

// ---- two halves in a word ------------------------------------------------------------------------------------------
template <class T>
Pair<T> fma(Pair<T> a, Pair<T> b, Pair<T> c) {
    return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
}
#define CUDA_ON_CPU_OF_TWO(name)                           \
    template <class T>                                     \
    Pair<T> name(Pair<T> a, Pair<T> b) {                   \
        return {name(a.low, b.low), name(a.high, b.high)}; \
    }
CUDA_ON_CPU_OF_TWO(add)
CUDA_ON_CPU_OF_TWO(sub)
CUDA_ON_CPU_OF_TWO(mul)
CUDA_ON_CPU_OF_TWO(min)
CUDA_ON_CPU_OF_TWO(max)
CUDA_ON_CPU_OF_TWO(min_nan)
CUDA_ON_CPU_OF_TWO(max_nan)
#undef CUDA_ON_CPU_OF_TWO
#define CUDA_ON_CPU_OF_ONE(name)            \
    template <class T>                      \
    Pair<T> name(Pair<T> a) {               \
        return {name(a.low), name(a.high)}; \
    }
CUDA_ON_CPU_OF_ONE(neg)
CUDA_ON_CPU_OF_ONE(abs)
CUDA_ON_CPU_OF_ONE(ex2)
CUDA_ON_CPU_OF_ONE(tanh)
CUDA_ON_CPU_OF_ONE(flush)
CUDA_ON_CPU_OF_ONE(saturate)
CUDA_ON_CPU_OF_ONE(relu)
#undef CUDA_ON_CPU_OF_ONE

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
