// Inline PTX: arithmetic. What PTX calls approximate is worked out exactly, or to
// the last bit but one.
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

// ---- arithmetic: integers wrap around; sums and products of floating-point numbers are not fused -------------------
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
    }                                                             \
    template <class T>                                            \
    Pair<T> name(Pair<T> a, Pair<T> b) {                          \
        return {name(a.low, b.low), name(a.high, b.high)};        \
    }
CUDA_ON_CPU_ARITHMETIC(add, +)
CUDA_ON_CPU_ARITHMETIC(sub, -)
CUDA_ON_CPU_ARITHMETIC(mul, *)
#undef CUDA_ON_CPU_ARITHMETIC
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
template <class T>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
    return add(mul_wide(a, b), c);
}
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
T sad(T a, T b, T c) {
    return add(c, a < b ? sub(b, a) : sub(a, b));
}

template <class T>
bool is_nan(T x) {
    if constexpr (is_integer<T>)
        return false;
    else if constexpr (std::is_arithmetic<T>::value)
        return x != x;
    else
        return x.value() != x.value();
}
template <class T>
T canonical_nan() {
    if constexpr (std::is_arithmetic<T>::value)
        return bit_copy<T>(
            std::conditional_t<sizeof(T) == 4, u32, u64>(sizeof(T) == 4 ? 0x7fffffff : 0x7fffffffffffffff));
    else
        return {0x7fff};
}
template <class T>
bool less(T a, T b) {  // -0 is less than +0
    if constexpr (is_integer<T>)
        return a < b;
    else if constexpr (std::is_arithmetic<T>::value)
        return a < b || (a == b && signbit(a) && !signbit(b));
    else
        return less(a.value(), b.value());
}
template <class T>
T min(T a, T b) {
    if (is_nan(a) && is_nan(b)) return canonical_nan<T>();
    return is_nan(a) ? b : is_nan(b) ? a : less(b, a) ? b : a;
}
template <class T>
T max(T a, T b) {
    if (is_nan(a) && is_nan(b)) return canonical_nan<T>();
    return is_nan(a) ? b : is_nan(b) ? a : less(a, b) ? b : a;
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
template <class T>
Pair<T> fma(Pair<T> a, Pair<T> b, Pair<T> c) {
    return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
}
#define CUDA_ON_CPU_PAIR(name)                             \
    template <class T>                                     \
    Pair<T> name(Pair<T> a, Pair<T> b) {                   \
        return {name(a.low, b.low), name(a.high, b.high)}; \
    }
CUDA_ON_CPU_PAIR(min)
CUDA_ON_CPU_PAIR(max)
CUDA_ON_CPU_PAIR(min_nan)
CUDA_ON_CPU_PAIR(max_nan)
#undef CUDA_ON_CPU_PAIR

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
#define CUDA_ON_CPU_PAIR(name)              \
    template <class T>                      \
    Pair<T> name(Pair<T> a) {               \
        return {name(a.low), name(a.high)}; \
    }
CUDA_ON_CPU_PAIR(ex2)
CUDA_ON_CPU_PAIR(tanh)
CUDA_ON_CPU_PAIR(neg)
CUDA_ON_CPU_PAIR(abs)

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
        return x;
    else if constexpr (std::is_arithmetic<T>::value)
        return x > 0 ? x < 1 ? x : T(1) : T(0);
    else
        return x.value() > 0 ? x.value() < 1 ? x : T::of(1) : T::of(0);
}
template <class T>
T relu(T x) {
    if constexpr (std::is_arithmetic<T>::value)
        return x < 0 ? T(0) : x;
    else
        return is_nan(x) ? canonical_nan<T>() : x.bits & 0x8000 ? T{0} : x;
}
CUDA_ON_CPU_PAIR(flush)
CUDA_ON_CPU_PAIR(saturate)
CUDA_ON_CPU_PAIR(relu)
#undef CUDA_ON_CPU_PAIR

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
