// The types of cuda_fp16.h and cuda_bf16.h, and their conversions. Included by both, and so without #pragma once: T16
// stands for __half or __nv_bfloat16, T16x2 for two of them, T16_NAME(__, 2float) for __half2float or __bfloat162float.
// CUDA's functions are no templates: arguments convert to their types.

struct alignas(2) T16_RAW {  // the bits, for everybody to see
    unsigned short x;
};
struct alignas(4) T16x2_RAW {
    unsigned short x, y;
};

struct T16;
namespace cuda_on_cpu {

template <>
struct Format<T16> : SmallFloat<T16_FORMAT> {
    using Raw = T16_RAW;
};

}  // namespace cuda_on_cpu

struct alignas(2) T16 {
    T16() = default;
    constexpr T16(const T16_RAW& raw) : __x(raw.x) {}
    T16& operator=(const T16_RAW& raw) { return __x = raw.x, *this; }
    void operator=(const T16_RAW& raw) volatile { __x = raw.x; }
    constexpr operator T16_RAW() const { return {__x}; }
    operator T16_RAW() const volatile { return {__x}; }

#ifdef T16_CONVERSIONS
    // One constructor and one conversion each, as CUDA has them: so `half(1) + 1` is as ambiguous here as with nvcc.
    T16(float x) : T16(cuda_on_cpu::round_to<T16>(double(x))) {}
    T16(double x) : T16(cuda_on_cpu::of_double<T16>(x)) {}
    operator float() const { return cuda_on_cpu::Format<T16>::to_float(__x); }
#define CUDA_ON_CPU_INTEGER(I) \
    T16(I i) : T16(cuda_on_cpu::round_to<T16>(cuda_on_cpu::sticky_double(i))) {}
    CUDA_ON_CPU_INTEGER(short)
    CUDA_ON_CPU_INTEGER(unsigned short)
    CUDA_ON_CPU_INTEGER(int)
    CUDA_ON_CPU_INTEGER(unsigned)
    CUDA_ON_CPU_INTEGER(long)
    CUDA_ON_CPU_INTEGER(unsigned long)
    CUDA_ON_CPU_INTEGER(long long)
    CUDA_ON_CPU_INTEGER(unsigned long long)
#undef CUDA_ON_CPU_INTEGER
#define CUDA_ON_CPU_INTEGER(I) \
    operator I() const { return cuda_on_cpu::to_integer<I>(trunc(cuda_on_cpu::Format<T16>::to_float(__x))); }
    CUDA_ON_CPU_INTEGER(char)
    CUDA_ON_CPU_INTEGER(signed char)
    CUDA_ON_CPU_INTEGER(unsigned char)
    CUDA_ON_CPU_INTEGER(short)
    CUDA_ON_CPU_INTEGER(unsigned short)
    CUDA_ON_CPU_INTEGER(int)
    CUDA_ON_CPU_INTEGER(unsigned)
    CUDA_ON_CPU_INTEGER(long)
    CUDA_ON_CPU_INTEGER(unsigned long)
    CUDA_ON_CPU_INTEGER(long long)
    CUDA_ON_CPU_INTEGER(unsigned long long)
#undef CUDA_ON_CPU_INTEGER
    constexpr operator bool() const { return (__x & 0x7fff) != 0; }
    explicit T16(T16_OTHER x);
#endif

protected:
    unsigned short __x;
};

struct alignas(4) T16x2 {
    T16 x, y;
    T16x2() = default;
    constexpr T16x2(const T16& x, const T16& y) : x(x), y(y) {}
    constexpr T16x2(const T16x2_RAW& raw) : x(T16_RAW{raw.x}), y(T16_RAW{raw.y}) {}
    constexpr operator T16x2_RAW() const { return {T16_RAW(x).x, T16_RAW(y).x}; }
};

#pragma GCC visibility push(hidden)

// ---- one number ----------------------------------------------------------------------------------------------------
inline float T16_NAME(__, 2float)(T16 a) { return cuda_on_cpu::to_float(a); }
inline T16 T16_NAME(__float2, )(float x) { return cuda_on_cpu::round_to<T16>(x); }
inline T16 T16_NAME(__double2, )(double x) { return cuda_on_cpu::of_double<T16>(x); }
inline T16 T16_NAME(__float2, _rn)(float x) { return cuda_on_cpu::round_to<T16>(x); }
inline T16 T16_NAME(__float2, _rz)(float x) {
    return cuda_on_cpu::round_to<T16>(x, cuda_on_cpu::Rounding::toward_zero);
}
inline T16 T16_NAME(__float2, _rd)(float x) { return cuda_on_cpu::round_to<T16>(x, cuda_on_cpu::Rounding::down); }
inline T16 T16_NAME(__float2, _ru)(float x) { return cuda_on_cpu::round_to<T16>(x, cuda_on_cpu::Rounding::up); }

#define CUDA_ON_CPU_INTEGER(name, I)                                                                                   \
    inline T16 T16_NAME(__##name##2, _rn)(I i) { return cuda_on_cpu::round_to<T16>(cuda_on_cpu::sticky_double(i)); }   \
    inline T16 T16_NAME(__##name##2, _rz)(I i) {                                                                       \
        return cuda_on_cpu::round_to<T16>(cuda_on_cpu::sticky_double(i), cuda_on_cpu::Rounding::toward_zero);          \
    }                                                                                                                  \
    inline T16 T16_NAME(__##name##2, _rd)(I i) {                                                                       \
        return cuda_on_cpu::round_to<T16>(cuda_on_cpu::sticky_double(i), cuda_on_cpu::Rounding::down);                 \
    }                                                                                                                  \
    inline T16 T16_NAME(__##name##2, _ru)(I i) {                                                                       \
        return cuda_on_cpu::round_to<T16>(cuda_on_cpu::sticky_double(i), cuda_on_cpu::Rounding::up);                   \
    }                                                                                                                  \
    inline I T16_NAME(__, 2##name##_rn)(T16 a) { return cuda_on_cpu::to_integer<I>(rint(cuda_on_cpu::to_double(a))); } \
    inline I T16_NAME(__, 2##name##_rz)(T16 a) {                                                                       \
        return cuda_on_cpu::to_integer<I>(trunc(cuda_on_cpu::to_double(a)));                                           \
    }                                                                                                                  \
    inline I T16_NAME(__, 2##name##_rd)(T16 a) {                                                                       \
        return cuda_on_cpu::to_integer<I>(floor(cuda_on_cpu::to_double(a)));                                           \
    }                                                                                                                  \
    inline I T16_NAME(__, 2##name##_ru)(T16 a) { return cuda_on_cpu::to_integer<I>(ceil(cuda_on_cpu::to_double(a))); }
CUDA_ON_CPU_INTEGER(short, short)
CUDA_ON_CPU_INTEGER(ushort, unsigned short)
CUDA_ON_CPU_INTEGER(int, int)
CUDA_ON_CPU_INTEGER(uint, unsigned)
CUDA_ON_CPU_INTEGER(ll, long long)
CUDA_ON_CPU_INTEGER(ull, unsigned long long)
#undef CUDA_ON_CPU_INTEGER
inline signed char T16_NAME(__, 2char_rz)(T16 a) {
    return cuda_on_cpu::to_integer<signed char>(trunc(cuda_on_cpu::to_double(a)));
}
inline unsigned char T16_NAME(__, 2uchar_rz)(T16 a) {
    return cuda_on_cpu::to_integer<unsigned char>(trunc(cuda_on_cpu::to_double(a)));
}

inline short T16_NAME(__, _as_short)(T16 a) { return short(T16_RAW(a).x); }
inline unsigned short T16_NAME(__, _as_ushort)(T16 a) { return T16_RAW(a).x; }
inline T16 T16_NAME(__short_as_, )(short bits) { return T16_RAW{static_cast<unsigned short>(bits)}; }
inline T16 T16_NAME(__ushort_as_, )(unsigned short bits) { return T16_RAW{bits}; }

// ---- two numbers ---------------------------------------------------------------------------------------------------
inline T16x2 T16_NAME(make_, 2)(T16 x, T16 y) { return {x, y}; }
inline T16x2 T16_NAME(__halves2, 2)(T16 low, T16 high) { return {low, high}; }
inline T16x2 T16_NAMES(__, 2, 2)(T16 a) { return {a, a}; }
inline T16x2 T16_NAME(__floats2, 2_rn)(float low, float high) {
    return {T16_NAME(__float2, )(low), T16_NAME(__float2, )(high)};
}
inline T16x2 T16_NAME(__float2, 2_rn)(float x) { return T16_NAMES(__, 2, 2)(T16_NAME(__float2, )(x)); }
inline T16x2 T16_NAME(__float22, 2_rn)(float2 v) { return T16_NAME(__floats2, 2_rn)(v.x, v.y); }
inline float2 T16_NAME(__, 22float2)(T16x2 v) { return {cuda_on_cpu::to_float(v.x), cuda_on_cpu::to_float(v.y)}; }
inline float __low2float(T16x2 v) { return cuda_on_cpu::to_float(v.x); }
inline float __high2float(T16x2 v) { return cuda_on_cpu::to_float(v.y); }
inline T16 T16_NAME(__low2, )(T16x2 v) { return v.x; }
inline T16 T16_NAME(__high2, )(T16x2 v) { return v.y; }
inline T16x2 T16_NAME(__low2, 2)(T16x2 v) { return {v.x, v.x}; }
inline T16x2 T16_NAME(__high2, 2)(T16x2 v) { return {v.y, v.y}; }
inline T16x2 T16_NAME(__lows2, 2)(T16x2 a, T16x2 b) { return {a.x, b.x}; }
inline T16x2 T16_NAME(__highs2, 2)(T16x2 a, T16x2 b) { return {a.y, b.y}; }
inline T16x2 __lowhigh2highlow(T16x2 v) { return {v.y, v.x}; }

#pragma GCC visibility pop
