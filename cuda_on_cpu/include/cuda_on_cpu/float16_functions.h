// Arithmetic, comparisons and mathematics of cuda_fp16.h and cuda_bf16.h; float16_types.h says what T16 stands for. The
// value is worked out in double and rounded once. For sums, products and quotients that is the exact value rounded:
// double has more than twice their bits, so its own rounding never lands on a tie of theirs. For exp() and so on it is
// the number nearest to the exact value, where a GPU may give its neighbour. NaN in a result is always 0x7fff.
//
// nvcc may fuse __hmul() and __hadd(), or * and +, to one operation, which rounds once. Here both round, as they do on
// a GPU under the names __hmul_rn() and __hadd_rn().

#pragma GCC visibility push(hidden)

// Each function has a form for two numbers, which does the same to both.
#define CUDA_ON_CPU_UNARY(name, name2, value)       \
    inline T16 name(T16 a) {                        \
        const double x = cuda_on_cpu::to_double(a); \
        return cuda_on_cpu::round_to<T16>(value);   \
    }                                               \
    inline T16x2 name2(T16x2 a) { return {name(a.x), name(a.y)}; }
#define CUDA_ON_CPU_BINARY(name, name2, value)                                     \
    inline T16 name(T16 a, T16 b) {                                                \
        const double x = cuda_on_cpu::to_double(a), y = cuda_on_cpu::to_double(b); \
        return cuda_on_cpu::round_to<T16>(value);                                  \
    }                                                                              \
    inline T16x2 name2(T16x2 a, T16x2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define CUDA_ON_CPU_FMA(name, name2, value)                                                                    \
    inline T16 name(T16 a, T16 b, T16 c) {                                                                     \
        const double x = cuda_on_cpu::fused_multiply_add(cuda_on_cpu::to_double(a), cuda_on_cpu::to_double(b), \
                                                         cuda_on_cpu::to_double(c));                           \
        return cuda_on_cpu::round_to<T16>(value);                                                              \
    }                                                                                                          \
    inline T16x2 name2(T16x2 a, T16x2 b, T16x2 c) { return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)}; }
#define CUDA_ON_CPU_COMPARISON(op, holds)                                                                      \
    inline bool __h##op(T16 a, T16 b) {                                                                        \
        const float x = cuda_on_cpu::to_float(a), y = cuda_on_cpu::to_float(b);                                \
        return holds;                                                                                          \
    }                                                                                                          \
    inline T16x2 __h##op##2(T16x2 a, T16x2 b) {                                                                \
        return {cuda_on_cpu::round_to<T16>(__h##op(a.x, b.x)), cuda_on_cpu::round_to<T16>(__h##op(a.y, b.y))}; \
    }                                                                                                          \
    inline unsigned __h##op##2_mask(T16x2 a, T16x2 b) {                                                        \
        return (__h##op(a.x, b.x) ? 0xffffu : 0) | (__h##op(a.y, b.y) ? 0xffff0000u : 0);                      \
    }                                                                                                          \
    inline bool __hb##op##2(T16x2 a, T16x2 b) { return __h##op(a.x, b.x) && __h##op(a.y, b.y); }

// ---- arithmetic ----------------------------------------------------------------------------------------------------
CUDA_ON_CPU_BINARY(__hadd, __hadd2, x + y)
CUDA_ON_CPU_BINARY(__hsub, __hsub2, x - y)
CUDA_ON_CPU_BINARY(__hmul, __hmul2, (x * y))
CUDA_ON_CPU_BINARY(__hdiv, __h2div, x / y)
CUDA_ON_CPU_BINARY(__hadd_rn, __hadd2_rn, x + y)
CUDA_ON_CPU_BINARY(__hsub_rn, __hsub2_rn, x - y)
CUDA_ON_CPU_BINARY(__hmul_rn, __hmul2_rn, (x * y))
CUDA_ON_CPU_BINARY(__hadd_sat, __hadd2_sat, cuda_on_cpu::between_0_and_1(x + y))
CUDA_ON_CPU_BINARY(__hsub_sat, __hsub2_sat, cuda_on_cpu::between_0_and_1(x - y))
CUDA_ON_CPU_BINARY(__hmul_sat, __hmul2_sat, cuda_on_cpu::between_0_and_1((x * y)))
CUDA_ON_CPU_FMA(__hfma, __hfma2, x)
CUDA_ON_CPU_FMA(__hfma_sat, __hfma2_sat, cuda_on_cpu::between_0_and_1(x))
CUDA_ON_CPU_FMA(__hfma_relu, __hfma2_relu, x <= 0 ? 0 : x)
CUDA_ON_CPU_UNARY(__hneg, __hneg2, -x)
CUDA_ON_CPU_UNARY(__habs, __habs2, fabs(x))

// (a.x + i a.y) (b.x + i b.y) + (c.x + i c.y), in this order
inline T16x2 __hcmadd(T16x2 a, T16x2 b, T16x2 c) {
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

// ---- comparisons: those with u hold when a number is NaN, the others do not ----------------------------------------
CUDA_ON_CPU_COMPARISON(eq, x == y)
CUDA_ON_CPU_COMPARISON(ne, (x < y) || (x > y))
CUDA_ON_CPU_COMPARISON(lt, x < y)
CUDA_ON_CPU_COMPARISON(le, x <= y)
CUDA_ON_CPU_COMPARISON(gt, x > y)
CUDA_ON_CPU_COMPARISON(ge, x >= y)
CUDA_ON_CPU_COMPARISON(equ, !(x < y || x > y))
CUDA_ON_CPU_COMPARISON(neu, x != y)
CUDA_ON_CPU_COMPARISON(ltu, !(x >= y))
CUDA_ON_CPU_COMPARISON(leu, !(x > y))
CUDA_ON_CPU_COMPARISON(gtu, !(x <= y))
CUDA_ON_CPU_COMPARISON(geu, !(x < y))

inline bool __hisnan(T16 a) { return __hneu(a, a); }
inline T16x2 __hisnan2(T16x2 a) { return __hneu2(a, a); }
inline int __hisinf(T16 a) {
    const float x = cuda_on_cpu::to_float(a);
    return x - x == 0 || x != x ? 0 : x > 0 ? 1 : -1;
}

// Of a number and NaN the number, or with _nan NaN.
CUDA_ON_CPU_BINARY(__hmax, __hmax2, cuda_on_cpu::larger(x, y))
CUDA_ON_CPU_BINARY(__hmin, __hmin2, -cuda_on_cpu::larger(-x, -y))
CUDA_ON_CPU_BINARY(__hmax_nan, __hmax2_nan, x != x || y != y ? x + y : cuda_on_cpu::larger(x, y))
CUDA_ON_CPU_BINARY(__hmin_nan, __hmin2_nan, x != x || y != y ? x + y : -cuda_on_cpu::larger(-x, -y))

// ---- mathematics ---------------------------------------------------------------------------------------------------
CUDA_ON_CPU_UNARY(hsqrt, h2sqrt, sqrt(x))
CUDA_ON_CPU_UNARY(hrsqrt, h2rsqrt, 1 / sqrt(x))
CUDA_ON_CPU_UNARY(hrcp, h2rcp, 1 / x)
CUDA_ON_CPU_UNARY(hexp, h2exp, exp(x))
CUDA_ON_CPU_UNARY(hexp2, h2exp2, exp2(x))
CUDA_ON_CPU_UNARY(hexp10, h2exp10, exp10(x))
CUDA_ON_CPU_UNARY(hlog, h2log, log(x))
CUDA_ON_CPU_UNARY(hlog2, h2log2, log2(x))
CUDA_ON_CPU_UNARY(hlog10, h2log10, log10(x))
CUDA_ON_CPU_UNARY(hsin, h2sin, sin(x))
CUDA_ON_CPU_UNARY(hcos, h2cos, cos(x))
CUDA_ON_CPU_UNARY(htanh, h2tanh, tanh(x))
CUDA_ON_CPU_UNARY(htanh_approx, h2tanh_approx, tanh(x))
CUDA_ON_CPU_UNARY(hrint, h2rint, rint(x))
CUDA_ON_CPU_UNARY(htrunc, h2trunc, trunc(x))
CUDA_ON_CPU_UNARY(hfloor, h2floor, floor(x))
CUDA_ON_CPU_UNARY(hceil, h2ceil, ceil(x))
#undef CUDA_ON_CPU_UNARY
#undef CUDA_ON_CPU_BINARY
#undef CUDA_ON_CPU_FMA
#undef CUDA_ON_CPU_COMPARISON

// ---- operators -----------------------------------------------------------------------------------------------------
#define CUDA_ON_CPU_OPERATORS(T, add, sub, mul, div, neg, one)       \
    inline T operator+(const T& a, const T& b) { return add(a, b); } \
    inline T operator-(const T& a, const T& b) { return sub(a, b); } \
    inline T operator*(const T& a, const T& b) { return mul(a, b); } \
    inline T operator/(const T& a, const T& b) { return div(a, b); } \
    inline T& operator+=(T& a, const T& b) { return a = add(a, b); } \
    inline T& operator-=(T& a, const T& b) { return a = sub(a, b); } \
    inline T& operator*=(T& a, const T& b) { return a = mul(a, b); } \
    inline T& operator/=(T& a, const T& b) { return a = div(a, b); } \
    inline T& operator++(T& a) { return a = add(a, one); }           \
    inline T& operator--(T& a) { return a = sub(a, one); }           \
    inline T operator++(T& a, int) {                                 \
        const T old = a;                                             \
        ++a;                                                         \
        return old;                                                  \
    }                                                                \
    inline T operator--(T& a, int) {                                 \
        const T old = a;                                             \
        --a;                                                         \
        return old;                                                  \
    }                                                                \
    inline T operator+(const T& a) { return a; }                     \
    inline T operator-(const T& a) { return neg(a); }
#define CUDA_ON_CPU_COMPARISONS(T, eq, ne, lt, le, gt, ge)              \
    inline bool operator==(const T& a, const T& b) { return eq(a, b); } \
    inline bool operator!=(const T& a, const T& b) { return ne(a, b); } \
    inline bool operator<(const T& a, const T& b) { return lt(a, b); }  \
    inline bool operator<=(const T& a, const T& b) { return le(a, b); } \
    inline bool operator>(const T& a, const T& b) { return gt(a, b); }  \
    inline bool operator>=(const T& a, const T& b) { return ge(a, b); }
#ifdef T16_OPERATORS
CUDA_ON_CPU_OPERATORS(T16, __hadd, __hsub, __hmul, __hdiv, __hneg, cuda_on_cpu::round_to<T16>(1))
CUDA_ON_CPU_COMPARISONS(T16, __heq, __hneu, __hlt, __hle, __hgt, __hge)
#endif
#ifdef T16x2_OPERATORS  // a comparison holds if it holds for both numbers
CUDA_ON_CPU_OPERATORS(T16x2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2,
                      T16x2(cuda_on_cpu::round_to<T16>(1), cuda_on_cpu::round_to<T16>(1)))
CUDA_ON_CPU_COMPARISONS(T16x2, __hbeq2, __hbneu2, __hblt2, __hble2, __hbgt2, __hbge2)
#endif
#undef CUDA_ON_CPU_OPERATORS
#undef CUDA_ON_CPU_COMPARISONS

// ---- threads: shuffles, atomics ------------------------------------------------------------------------------------
CUDA_ON_CPU_SHUFFLES(T16)
CUDA_ON_CPU_SHUFFLES(T16x2)

inline T16 atomicAdd(T16* address, T16 value) {
    const T16 old = *address;
    *address = __hadd(old, value);
    return old;
}
inline T16x2 atomicAdd(T16x2* address, T16x2 value) {  // each number by itself
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}

#pragma GCC visibility pop

// The end of what T16 stands for.
#undef T16
#undef T16x2
#undef T16_RAW
#undef T16x2_RAW
#undef T16_OTHER
#undef T16_FORMAT
#undef T16_NAME
#undef T16_NAMES
#undef T16_CONVERSIONS
#undef T16_OPERATORS
#undef T16x2_OPERATORS
