// 8-bit numbers: E4M3 (4 bits of exponent, 3 of mantissa, no infinity) and E5M2. There is no arithmetic, only
// conversions. The types saturate: what is too large becomes the largest number; the functions let the caller choose.
#pragma once

#include <cuda_bf16.h>

#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#pragma GCC visibility push(hidden)

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;  // the first number in the low bits
using __nv_fp8x4_storage_t = unsigned;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace cuda_on_cpu {

using E4M3 = SmallFloat<4, 3, 0x7e>;  // 0x7f is NaN
using E5M2 = SmallFloat<5, 2>;

inline unsigned to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    const unsigned bits = kind == __NV_E4M3 ? E4M3::from_double(x) : E5M2::from_double(x);
    const unsigned largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
    return saturate == __NV_SATFINITE && x == x && (bits & 0x7f) > largest ? (bits & 0x80) | largest : bits;
}
inline float fp8_to_float(unsigned bits, __nv_fp8_interpretation_t kind) {
    return kind == __NV_E4M3 ? E4M3::to_float(bits) : E5M2::to_float(bits);
}
inline unsigned short pair(unsigned low, unsigned high) { return static_cast<unsigned short>(high << 8 | low); }

}  // namespace cuda_on_cpu

// ---- functions -----------------------------------------------------------------------------------------------------
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    if (x == x) return static_cast<unsigned char>(cuda_on_cpu::to_fp8(x, saturate, kind));
    const auto u = static_cast<unsigned long long>(__double_as_longlong(x));  // NaN keeps its sign and its first bits
    return static_cast<unsigned char>((kind == __NV_E4M3 ? 0x7f : 0x7e | (u >> 50 & 3)) | (u >> 63 << 7));
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return static_cast<unsigned char>(cuda_on_cpu::to_fp8(x, saturate, kind));
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(__half2float(x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(__bfloat162float(x), saturate, kind);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return __float2half(cuda_on_cpu::fp8_to_float(x, kind));
}

#define CUDA_ON_CPU_PAIR(name, T, one, First)                                                           \
    inline __nv_fp8x2_storage_t name(T v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { \
        return cuda_on_cpu::pair(one(First{v.x}, saturate, kind), one(First{v.y}, saturate, kind));     \
    }
CUDA_ON_CPU_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, double)
CUDA_ON_CPU_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, float)
CUDA_ON_CPU_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw)
CUDA_ON_CPU_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw)
#undef CUDA_ON_CPU_PAIR
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) {
    return {__nv_cvt_fp8_to_halfraw(v & 255, kind).x, __nv_cvt_fp8_to_halfraw(v >> 8, kind).x};
}

#pragma GCC visibility pop

// ---- types: all conversions are explicit ---------------------------------------------------------------------------
namespace cuda_on_cpu {

template <__nv_fp8_interpretation_t KIND>
struct alignas(1) Fp8 {
    __nv_fp8_storage_t __x;

    Fp8() = default;
    explicit Fp8(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, KIND)) {}
    explicit Fp8(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, KIND)) {}
    explicit Fp8(__half x) : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, KIND)) {}
    explicit Fp8(__nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, KIND)) {}
    template <class T, class = std::enable_if_t<std::is_integral<T>::value>>
    explicit Fp8(T i) : Fp8(float(i)) {}

    explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, KIND); }
    explicit operator __nv_bfloat16() const { return __float2bfloat16(float(*this)); }
    explicit operator float() const { return fp8_to_float(__x, KIND); }
    explicit operator double() const { return fp8_to_float(__x, KIND); }
    explicit operator bool() const { return (__x & 0x7f) != 0; }
    template <class T, class = std::enable_if_t<std::is_integral<T>::value>>
    explicit operator T() const {
        return to_integer<T>(trunc(fp8_to_float(__x, KIND)));
    }
};

template <__nv_fp8_interpretation_t KIND>
struct alignas(2) Fp8x2 {
    __nv_fp8x2_storage_t __x;

    Fp8x2() = default;
    explicit Fp8x2(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, KIND)) {}
    explicit Fp8x2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, KIND)) {}
    explicit Fp8x2(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, KIND)) {}
    explicit Fp8x2(__nv_bfloat162 v) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, KIND)) {}
    explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, KIND); }
    explicit operator float2() const { return {fp8_to_float(__x & 255, KIND), fp8_to_float(__x >> 8, KIND)}; }
};

template <__nv_fp8_interpretation_t KIND>
struct alignas(4) Fp8x4 {
    __nv_fp8x4_storage_t __x;

    Fp8x4() = default;
    explicit Fp8x4(double4 v) : Fp8x4(double2{v.x, v.y}, double2{v.z, v.w}) {}
    explicit Fp8x4(float4 v) : Fp8x4(float2{v.x, v.y}, float2{v.z, v.w}) {}
    explicit Fp8x4(__half2 low, __half2 high) : Fp8x4(Fp8x2<KIND>(low), Fp8x2<KIND>(high)) {}
    explicit Fp8x4(__nv_bfloat162 low, __nv_bfloat162 high) : Fp8x4(Fp8x2<KIND>(low), Fp8x2<KIND>(high)) {}
    explicit operator float4() const {
        return {fp8_to_float(__x & 255, KIND), fp8_to_float(__x >> 8 & 255, KIND), fp8_to_float(__x >> 16 & 255, KIND),
                fp8_to_float(__x >> 24, KIND)};
    }

private:
    Fp8x4(Fp8x2<KIND> low, Fp8x2<KIND> high) : __x(unsigned(high.__x) << 16 | low.__x) {}
    Fp8x4(double2 low, double2 high) : Fp8x4(Fp8x2<KIND>(low), Fp8x2<KIND>(high)) {}
    Fp8x4(float2 low, float2 high) : Fp8x4(Fp8x2<KIND>(low), Fp8x2<KIND>(high)) {}
};

}  // namespace cuda_on_cpu

struct __nv_fp8_e4m3 : cuda_on_cpu::Fp8<__NV_E4M3> {
    using Fp8::Fp8;
};
struct __nv_fp8_e5m2 : cuda_on_cpu::Fp8<__NV_E5M2> {
    using Fp8::Fp8;
};
struct __nv_fp8x2_e4m3 : cuda_on_cpu::Fp8x2<__NV_E4M3> {
    using Fp8x2::Fp8x2;
};
struct __nv_fp8x2_e5m2 : cuda_on_cpu::Fp8x2<__NV_E5M2> {
    using Fp8x2::Fp8x2;
};
struct __nv_fp8x4_e4m3 : cuda_on_cpu::Fp8x4<__NV_E4M3> {
    using Fp8x4::Fp8x4;
};
struct __nv_fp8x4_e5m2 : cuda_on_cpu::Fp8x4<__NV_E5M2> {
    using Fp8x4::Fp8x4;
};
