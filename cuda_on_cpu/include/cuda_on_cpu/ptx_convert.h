// Inline PTX: comparisons and conversions.
#pragma once

#include <fenv.h>

#include "cuda_on_cpu/ptx_arithmetic.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

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
#define CUDA_ON_CPU_ROUND(integer, rounding, function, direction) \
    template <class D, class A>                                   \
    D to_integer_##integer(A a) {                                 \
        return cuda_on_cpu::to_integer<D>(function(f64(a)));      \
    }                                                             \
    template <class D, class A>                                   \
    D round_##integer(A a) {                                      \
        return D(function(a));                                    \
    }                                                             \
    template <class D, class A>                                   \
    D from_integer_##rounding(A a) {                              \
        volatile A integer = a;                                   \
        const int before = fegetround();                          \
        fesetround(direction);                                    \
        volatile D result = D(integer);                           \
        fesetround(before);                                       \
        return result;                                            \
    }
CUDA_ON_CPU_ROUND(rni, rn, nearbyint, FE_TONEAREST)
CUDA_ON_CPU_ROUND(rzi, rz, trunc, FE_TOWARDZERO)
CUDA_ON_CPU_ROUND(rmi, rm, floor, FE_DOWNWARD)
CUDA_ON_CPU_ROUND(rpi, rp, ceil, FE_UPWARD)
#undef CUDA_ON_CPU_ROUND
inline f32 to_float(f64 x) { return f32(x); }
inline f32 to_float_rn(f64 x) { return f32(x); }
inline f32 to_float_rz(f64 x) { return __double2float_rz(x); }
inline f32 to_float_rm(f64 x) { return __double2float_rd(x); }
inline f32 to_float_rp(f64 x) { return __double2float_ru(x); }
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
inline tf32 tf32_cut(f32 x, u32 (*carry)(u32)) {
    const u32 u = bit_copy<u32>(x);
    return {is_nan(x) ? 0x7fffffff : (u + carry(u)) & 0xffffe000};
}
inline tf32 tf32_rna(f32 x) {  // ties away from 0
    return tf32_cut(x, [](u32) { return 0x1000u; });
}
inline tf32 tf32_rn(f32 x) {  // ties to even
    return tf32_cut(x, [](u32 u) { return 0xfffu + (u >> 13 & 1); });
}
inline tf32 tf32_rz(f32 x) {
    return tf32_cut(x, [](u32) { return 0u; });
}

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
