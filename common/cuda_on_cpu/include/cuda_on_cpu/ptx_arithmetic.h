// Inline PTX: arithmetic, bits, comparisons and conversions. What PTX calls approximate is worked out exactly, or to the
// last bit but one.
#pragma once

#include <cfenv>

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
template <class Part, class Whole>
auto unpack(Whole whole) {
    return bit_copy<std::array<Part, sizeof(Whole) / sizeof(Part)>>(whole);
}

// ---- arithmetic: integers wrap around; sums and products of floating-point numbers are not fused -------------------
#define CUDA_ON_CPU_ARITHMETIC(name, op)                         \
    template <class T>                                           \
    T name(T a, T b) {                                           \
        if constexpr (is_integer<T>) {                           \
            return T(u64(a) op u64(b));                          \
        } else if constexpr (std::is_arithmetic<T>::value) {     \
            volatile T result = a op b;                          \
            return result;                                       \
        } else {                                                 \
            return T::of(double(a.value()) op double(b.value())); \
        }                                                        \
    }                                                            \
    template <class T>                                           \
    Pair<T> name(Pair<T> a, Pair<T> b) {                         \
        return {name(a.low, b.low), name(a.high, b.high)};       \
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
    if constexpr (is_integer<T>) return b == 0 ? T(-1) : b == T(-1) && std::is_signed<T>::value ? T(0 - u64(a)) : T(a / b);
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
        return bit_copy<T>(std::conditional_t<sizeof(T) == 4, u32, u64>(sizeof(T) == 4 ? 0x7fffffff : 0x7fffffffffffffff));
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

// Rounded toward 0 (_rz), down (_rm), up (_rp). The volatile keeps the compiler from doing it earlier or later.
template <class T, class F>
T directed(int rounding, T a, T b, T c, F f) {
    volatile T x = a, y = b, z = c;
    const int before = fegetround();
    fesetround(rounding);
    volatile T result = f(x, y, z);
    fesetround(before);
    return result;
}
#define CUDA_ON_CPU_DIRECTED(suffix, rounding)                                                \
    template <class T>                                                                        \
    T add##suffix(T a, T b) {                                                                 \
        return directed(rounding, a, b, b, [](T x, T y, T) { return x + y; });                \
    }                                                                                         \
    template <class T>                                                                        \
    T sub##suffix(T a, T b) {                                                                 \
        return directed(rounding, a, b, b, [](T x, T y, T) { return x - y; });                \
    }                                                                                         \
    template <class T>                                                                        \
    T mul##suffix(T a, T b) {                                                                 \
        return directed(rounding, a, b, b, [](T x, T y, T) { return x * y; });                \
    }                                                                                         \
    template <class T>                                                                        \
    T fma##suffix(T a, T b, T c) {                                                            \
        return directed(rounding, a, b, c, [](T x, T y, T z) { return std::fma(x, y, z); });  \
    }                                                                                         \
    inline f32 to_float##suffix(f64 x) {                                                      \
        return f32(directed(rounding, x, x, x, [](f64 a, f64, f64) { return f64(f32(a)); })); \
    }
CUDA_ON_CPU_DIRECTED(_rz, FE_TOWARDZERO)
CUDA_ON_CPU_DIRECTED(_rm, FE_DOWNWARD)
CUDA_ON_CPU_DIRECTED(_rp, FE_UPWARD)
#undef CUDA_ON_CPU_DIRECTED
inline f32 to_float(f64 x) { return f32(x); }
inline f32 to_float_rn(f64 x) { return f32(x); }

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
#define CUDA_ON_CPU_APPROXIMATE(name, function)               \
    inline f32 name(f32 x) { return std::function(x); }    \
    inline f16 name(f16 x) { return f16::of(std::function(f64(x.value()))); } \
    inline bf16 name(bf16 x) { return bf16::of(std::function(f64(x.value()))); }
CUDA_ON_CPU_APPROXIMATE(ex2, exp2)
CUDA_ON_CPU_APPROXIMATE(lg2, log2)
CUDA_ON_CPU_APPROXIMATE(sin, sin)
CUDA_ON_CPU_APPROXIMATE(cos, cos)
CUDA_ON_CPU_APPROXIMATE(tanh, tanh)
#undef CUDA_ON_CPU_APPROXIMATE
#define CUDA_ON_CPU_PAIR(name)             \
    template <class T>                     \
    Pair<T> name(Pair<T> a) {              \
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

// ---- bits ----------------------------------------------------------------------------------------------------------
template <class T>
T and_(T a, T b) {
    return T(a & b);
}
template <class T>
T or_(T a, T b) {
    return T(a | b);
}
template <class T>
T xor_(T a, T b) {
    return T(a ^ b);
}
template <class T>
T not_(T a) {
    return T(~a);
}
inline bool not_(bool a) { return !a; }
template <class T>
T cnot(T a) {
    return a == 0;
}
template <class T>
T shl(T a, u32 n) {
    return n >= bits<T> ? T(0) : T(u64(a) << n);
}
template <class T>
T shr(T a, u32 n) {
    return T(a >> std::min(n, u32(bits<T> - 1)) >> (n >= bits<T>));
}
inline b32 shf_l_wrap(b32 low, b32 high, u32 n) { return b32((b64(high) << 32 | low) << (n & 31) >> 32); }
inline b32 shf_r_wrap(b32 low, b32 high, u32 n) { return b32((b64(high) << 32 | low) >> (n & 31)); }
inline b32 shf_l_clamp(b32 low, b32 high, u32 n) { return n >= 32 ? low : shf_l_wrap(low, high, n); }
inline b32 shf_r_clamp(b32 low, b32 high, u32 n) { return n >= 32 ? high : shf_r_wrap(low, high, n); }
template <class T>
u32 popc(T a) {
    return u32(__builtin_popcountll(a));
}
template <class T>
u32 clz(T a) {
    return u32(a ? __builtin_clzll(a) - (64 - bits<T>) : bits<T>);
}
template <class T>
T brev(T a) {
    return sizeof(T) == 4 ? T(__brev(unsigned(a))) : T(__brevll(a));
}
template <class T>
u32 bfind(T a) {  // the first bit that is no copy of the sign
    const Unsigned<T> u = Unsigned<T>(a < 0 ? ~a : a);
    return bits<T> - 1 - clz(u);
}
template <class T>
T bfe(T a, u32 start, u32 length) {
    const u32 first = start & 255, count = length & 255, last = std::min(first + count - 1, u32(bits<T> - 1));
    if (count == 0) return 0;
    const bool sign = std::is_signed<T>::value && (a >> last & 1);
    Unsigned<T> field = sign ? ~Unsigned<T>(0) : 0;
    if (first < bits<T>) {
        const u32 width = last - first + 1;
        const Unsigned<T> ones = width == bits<T> ? ~Unsigned<T>(0) : (Unsigned<T>(1) << width) - 1;
        field = (sign ? ~ones : 0) | (Unsigned<T>(a) >> first & ones);
    }
    return T(field);
}
template <class T>
T bfi(T a, T b, u32 start, u32 length) {
    const u32 first = start & 255, count = length & 255;
    if (count == 0 || first >= bits<T>) return b;
    const T ones = count >= bits<T> ? T(~T(0)) : T((T(1) << count) - 1);
    return T((b & ~(ones << first)) | (a & ones) << first);
}
inline b32 lop3(b32 a, b32 b, b32 c, u32 table) {  // bit 4a + 2b + c of the table is the result for bits a, b, c
    b32 result = 0;
    for (u32 i = 0; i < 8; i++)
        if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}
inline b32 prmt(b32 a, b32 b, b32 selector) {  // bit 3 of a selector: copies of the byte's sign
    const b64 from = b64(b) << 32 | a;
    b32 result = 0;
    for (u32 i = 0; i < 4; i++) {
        const u32 which = selector >> 4 * i & 15, byte = u32(from >> (which & 7) * 8) & 255;
        result |= (which & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
    }
    return result;
}

template <class T>
s32 part(T a, int width, int i) {  // the i-th piece of that width, with T's sign
    const u32 shifted = u32(a) << (32 - width * (i + 1));
    return std::is_signed<T>::value ? s32(shifted) >> (32 - width) : s32(shifted >> (32 - width));
}
template <class A, class B>
b32 dp4a(A a, B b, b32 c) {
    for (int i = 0; i < 4; i++) c += u32(part(a, 8, i) * part(b, 8, i));
    return c;
}
template <class A, class B>
b32 dp2a_lo(A a, B b, b32 c) {
    return c + u32(part(a, 16, 0) * part(b, 8, 0)) + u32(part(a, 16, 1) * part(b, 8, 1));
}
template <class A, class B>
b32 dp2a_hi(A a, B b, b32 c) {
    return c + u32(part(a, 16, 0) * part(b, 8, 2)) + u32(part(a, 16, 1) * part(b, 8, 3));
}

inline b32 vabsdiff4(b32 a, b32 b, b32 c) {
    for (int i = 0; i < 4; i++) c += u32(abs(part(a, 8, i) - part(b, 8, i)));
    return c;
}

// ---- comparisons: all but ne are false where an operand is NaN; those with u are true ------------------------------
#define CUDA_ON_CPU_COMPARE(name, expression) \
    template <class T>                        \
    bool setp_##name(T a, T b) {              \
        return expression;                    \
    }
CUDA_ON_CPU_COMPARE(eq, a == b)
CUDA_ON_CPU_COMPARE(ne, a != b && !is_nan(a) && !is_nan(b))
CUDA_ON_CPU_COMPARE(lt, a < b)
CUDA_ON_CPU_COMPARE(le, a <= b)
CUDA_ON_CPU_COMPARE(gt, a > b)
CUDA_ON_CPU_COMPARE(ge, a >= b)
CUDA_ON_CPU_COMPARE(lo, a < b)
CUDA_ON_CPU_COMPARE(ls, a <= b)
CUDA_ON_CPU_COMPARE(hi, a > b)
CUDA_ON_CPU_COMPARE(hs, a >= b)
CUDA_ON_CPU_COMPARE(equ, !(a < b || a > b))
CUDA_ON_CPU_COMPARE(neu, a != b)
CUDA_ON_CPU_COMPARE(ltu, !(a >= b))
CUDA_ON_CPU_COMPARE(leu, !(a > b))
CUDA_ON_CPU_COMPARE(gtu, !(a <= b))
CUDA_ON_CPU_COMPARE(geu, !(a < b))
CUDA_ON_CPU_COMPARE(num, !is_nan(a) && !is_nan(b))
CUDA_ON_CPU_COMPARE(nan, is_nan(a) || is_nan(b))
#undef CUDA_ON_CPU_COMPARE
template <class T>
T selp(T a, T b, bool p) {
    return p ? a : b;
}

// ---- conversions ---------------------------------------------------------------------------------------------------
template <class D, class A>
D convert(A a) {
    if constexpr (std::is_arithmetic<A>::value)
        return D(a);
    else
        return D(a.value());
}
template <class D, class A>
D convert_sat(A a) {  // the nearest that D has
    using Wider = cuda_on_cpu_int128;
    return D(std::max<Wider>(std::numeric_limits<D>::min(), std::min<Wider>(std::numeric_limits<D>::max(), Wider(a))));
}
#define CUDA_ON_CPU_ROUND(integer, rounding, function, direction)                            \
    template <class D, class A>                                                              \
    D to_integer_##integer(A a) {                                                            \
        return cuda_on_cpu::to_integer<D>(function(f64(a)));                                 \
    }                                                                                        \
    template <class D, class A>                                                              \
    D round_##integer(A a) {                                                                 \
        return D(function(a));                                                               \
    }                                                                                        \
    template <class D, class A>                                                              \
    D from_integer_##rounding(A a) {                                                         \
        volatile A integer = a;                                                              \
        const int before = fegetround();                                                     \
        fesetround(direction);                                                               \
        volatile D result = D(integer);                                                      \
        fesetround(before);                                                                  \
        return result;                                                                       \
    }
CUDA_ON_CPU_ROUND(rni, rn, nearbyint, FE_TONEAREST)
CUDA_ON_CPU_ROUND(rzi, rz, trunc, FE_TOWARDZERO)
CUDA_ON_CPU_ROUND(rmi, rm, floor, FE_DOWNWARD)
CUDA_ON_CPU_ROUND(rpi, rp, ceil, FE_UPWARD)
#undef CUDA_ON_CPU_ROUND
template <class D>
D narrow_rn(f32 x) {
    return D::of(x);
}
template <class D>
D narrow_rz(f32 x) {
    return D::of(x, Rounding::toward_zero);
}
template <class D>  // the first is the upper half
D narrow2_rn(f32 high, f32 low) {
    return {narrow_rn<decltype(D::low)>(low), narrow_rn<decltype(D::low)>(high)};
}
template <class D>
D narrow2_rz(f32 high, f32 low) {
    return {narrow_rz<decltype(D::low)>(low), narrow_rz<decltype(D::low)>(high)};
}
inline u32 tf32_cut(f32 x, u32 (*carry)(u32)) {
    const u32 u = bit_copy<u32>(x);
    return is_nan(x) ? 0x7fffffff : (u + carry(u)) & 0xffffe000;
}
inline u32 tf32_rna(f32 x) {  // ties away from 0
    return tf32_cut(x, [](u32) { return 0x1000u; });
}
inline u32 tf32_rn(f32 x) {  // ties to even
    return tf32_cut(x, [](u32 u) { return 0xfffu + (u >> 13 & 1); });
}
inline u32 tf32_rz(f32 x) {
    return tf32_cut(x, [](u32) { return 0u; });
}

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
