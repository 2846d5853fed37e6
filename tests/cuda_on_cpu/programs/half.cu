// half and bfloat16: every operation and conversion against an expected result that the host works out in another way,
// from real numbers. So a run that prints ok says that CPU and GPU agree in bits. `half count` prints for each function of
// the mathematics how many results are not the nearest number: on a GPU there may be some.
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>
#include "expect.h"

template <class To, class From>
__host__ __device__ To as(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(static_cast<void*>(&to), &from, sizeof to);
    return to;
}

// ---- the expected results ------------------------------------------------------------------------------------------

struct Real {  // value + error, where double has no room for the exact sum
    double value, error;
    Real(double value, double error = 0) : value(value), error(error) {}
};
Real sum(double x, double y) {  // Dekker: the larger one first
    if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
    const double s = x + y;
    return {s, std::isfinite(s) ? y - (s - x) : 0};
}
template <class I>
Real integer(I i) {
    return {double(i), double(static_cast<long double>(i) - static_cast<long double>(double(i)))};
}

enum Mode { RN, RZ, RD, RU };

struct Layout {  // of a small format
    int exponent, mantissa;
    unsigned largest;  // the pattern of the largest number
    int least() const { return 2 - (1 << (exponent - 1)); }  // the smallest normal number is 2^least
    unsigned sign() const { return 1u << (exponent + mantissa); }

    // What lies between two neighbours is measured in their distance, and goes to one of them.
    unsigned round(Real x, Mode mode = RN) const {
        if (std::isnan(x.value)) return sign() - 1;
        const bool negative = std::signbit(x.value);
        const double s = std::fabs(x.value), error = negative ? -x.error : x.error;
        const bool away = mode == (negative ? RD : RU);
        if (std::isinf(s)) return largest + 1 + negative * sign();
        int e = s == 0 ? least() : std::max(std::ilogb(s), least());
        if (error < 0 && s == std::ldexp(1, e) && e > least()) e--;  // the number lies below this power of two
        const double position = std::ldexp(s, mantissa - e);
        double below = std::floor(position), rest = position - below;
        if (rest == 0 && error < 0) below--, rest = 1;
        if (error != 0) rest = rest == 0.5 ? 0.5 + (error < 0 ? -0.25 : 0.25) : rest == 0 ? 0.25 : rest == 1 ? 0.75 : rest;
        const bool up = mode == RN ? rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) == 1) : away && rest > 0;
        const double pattern = std::ldexp(e - least(), mantissa) + below + up;
        if (pattern > largest) return largest + (mode == RN || away) + negative * sign();
        return unsigned(pattern) + negative * sign();
    }
    double value(unsigned bits) const {
        const unsigned u = bits & (sign() - 1), e = u >> mantissa, fraction = u & ((1u << mantissa) - 1);
        double v = e ? std::ldexp((1u << mantissa) + fraction, least() + int(e) - 1 - mantissa)
                     : std::ldexp(fraction, least() - mantissa);
        if (u > largest) v = u == largest + 1 && u != sign() - 1 ? INFINITY : NAN;
        return bits & sign() ? -v : v;
    }
};

// ---- the operations: name, the same for two numbers, the expected value --------------------------------------------

Real clamped(Real r) { return r.value > 1 ? 1 : r.value > 0 ? r : 0; }
double larger(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? y : x;
    return x == y ? (std::signbit(x) ? y : x) : std::fmax(x, y);
}
double number_or_nan(double x, double y, double number) { return std::isnan(x) || std::isnan(y) ? NAN : number; }
Real not_negative(Real r) { return r.value <= 0 ? 0 : r; }

#define EXACT_1(X)                     \
    X(__hneg, __hneg2, -x)             \
    X(__habs, __habs2, std::fabs(x))   \
    X(hrint, h2rint, std::nearbyint(x)) \
    X(htrunc, h2trunc, std::trunc(x))  \
    X(hfloor, h2floor, std::floor(x))  \
    X(hceil, h2ceil, std::ceil(x))
#define MATHEMATICS(X)                     \
    X(hsqrt, h2sqrt, std::sqrt(x))         \
    X(hrsqrt, h2rsqrt, 1 / std::sqrt(x))   \
    X(hrcp, h2rcp, 1 / x)                  \
    X(hexp, h2exp, std::exp(x))            \
    X(hexp2, h2exp2, std::exp2(x))         \
    X(hexp10, h2exp10, std::pow(10, x))    \
    X(hlog, h2log, std::log(x))            \
    X(hlog2, h2log2, std::log2(x))         \
    X(hlog10, h2log10, std::log10(x))      \
    X(hsin, h2sin, std::sin(x))            \
    X(hcos, h2cos, std::cos(x))            \
    X(htanh, h2tanh, std::tanh(x))         \
    X(htanh_approx, h2tanh_approx, std::tanh(x))
#define EXACT_2(X)                                       \
    X(__hadd, __hadd2, sum(x, y))                        \
    X(__hsub, __hsub2, sum(x, -y))                       \
    X(__hmul, __hmul2, x * y)                            \
    X(__hdiv, __h2div, x / y)                            \
    X(__hadd_rn, __hadd2_rn, sum(x, y))                  \
    X(__hsub_rn, __hsub2_rn, sum(x, -y))                 \
    X(__hmul_rn, __hmul2_rn, x * y)                      \
    X(__hadd_sat, __hadd2_sat, clamped(sum(x, y)))       \
    X(__hsub_sat, __hsub2_sat, clamped(sum(x, -y)))      \
    X(__hmul_sat, __hmul2_sat, clamped(x * y))           \
    X(__hmax, __hmax2, larger(x, y))                     \
    X(__hmin, __hmin2, -larger(-x, -y))                  \
    X(__hmax_nan, __hmax2_nan, number_or_nan(x, y, larger(x, y))) \
    X(__hmin_nan, __hmin2_nan, number_or_nan(x, y, -larger(-x, -y)))
#define EXACT_3(X)                                  \
    X(__hfma, __hfma2, sum(x * y, z))               \
    X(__hfma_sat, __hfma2_sat, clamped(sum(x * y, z))) \
    X(__hfma_relu, __hfma2_relu, not_negative(sum(x * y, z)))
#define COMPARISONS(X)                \
    X(eq, x == y)                     \
    X(ne, x < y || x > y)             \
    X(lt, x < y)                      \
    X(le, x <= y)                     \
    X(gt, x > y)                      \
    X(ge, x >= y)                     \
    X(equ, unordered || x == y)       \
    X(neu, unordered || x != y)       \
    X(ltu, unordered || x < y)        \
    X(leu, unordered || x <= y)       \
    X(gtu, unordered || x > y)        \
    X(geu, unordered || x >= y)

#define ENUMERATOR(name, ...) op_##name,
enum Op { EXACT_1(ENUMERATOR) exact_1, MATHEMATICS(ENUMERATOR) mathematics, EXACT_2(ENUMERATOR) exact_2,
          EXACT_3(ENUMERATOR) exact_3, COMPARISONS(ENUMERATOR) operations };
#define NAME(name, ...) #name,
const char* const names[] = {EXACT_1(NAME) "", MATHEMATICS(NAME) "", EXACT_2(NAME) "", EXACT_3(NAME) "", COMPARISONS(NAME)};

// One result for a, b, c, and two of the form for two numbers: for a, b, c and for b, c, a.
template <class T, class T2>
__device__ uint64_t packed(T r, T2 r2) {
    return as<unsigned short>(r) | uint64_t(as<unsigned>(r2)) << 16;
}
template <class T2, class T>
__device__ uint64_t calculated(Op op, T a, T b, T c) {
    const T2 ab(a, b), bc(b, c), ca(c, a);
    switch (op) {
#define CASE(name, name2, ...) case op_##name: return packed(name(a), name2(ab));
        EXACT_1(CASE) MATHEMATICS(CASE)
#undef CASE
#define CASE(name, name2, ...) case op_##name: return packed(name(a, b), name2(ab, bc));
        EXACT_2(CASE)
#undef CASE
#define CASE(name, name2, ...) case op_##name: return packed(name(a, b, c), name2(ab, bc, ca));
        EXACT_3(CASE)
#undef CASE
#define CASE(name, ...)                                                                                        \
    case op_##name: {                                                                                          \
        const unsigned mask = __h##name##2_mask(ab, bc), one = as<unsigned short>(T(1.f)) * 0x10001u;          \
        return mask | uint64_t(__h##name(a, b)) << 32 | uint64_t(__hb##name##2(ab, bc)) << 33 |                \
               uint64_t(as<unsigned>(__h##name##2(ab, bc)) == (mask & one)) << 34;                             \
    }
        COMPARISONS(CASE)
#undef CASE
        default: return 0;
    }
}
template <class T, class T2>
__global__ void calculate(Op op, uint64_t* out, const ushort3* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = calculated<T2>(op, as<T>(in[i].x), as<T>(in[i].y), as<T>(in[i].z));
}

Real expected(Op op, double x, double y, double z) {
    switch (op) {
#define CASE(name, name2, ...) case op_##name: return __VA_ARGS__;
        EXACT_1(CASE) MATHEMATICS(CASE) EXACT_2(CASE) EXACT_3(CASE)
#undef CASE
        default: return NAN;
    }
}
bool holds(Op op, double x, double y) {
    const bool unordered = std::isnan(x) || std::isnan(y);
    switch (op) {
#define CASE(name, ...) case op_##name: return __VA_ARGS__;
        COMPARISONS(CASE)
#undef CASE
        default: return unordered;
    }
}

uint64_t random_bits() {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32;
}

// ---- arithmetic ----------------------------------------------------------------------------------------------------

std::vector<ushort3> triples(const Layout& f) {
    const unsigned m = f.mantissa, one = ((1u << (f.exponent - 1)) - 1) << m, inf = f.largest + 1, sign = f.sign();
    std::vector<unsigned> special;
    for (unsigned u : {0u, 1u, (1u << m) - 1, 1u << m, (1u << m) + 1, one - 1, one, one + 1, one + (1u << m), one + 3 * (1u << m) / 2,
                       f.largest - 1, f.largest, inf, inf + 1, 0x7fffu})
        special.push_back(u), special.push_back(u | sign);
    std::vector<ushort3> in;
    auto add = [&](unsigned a, unsigned b, unsigned c) {
        in.push_back(make_ushort3(uint16_t(a), uint16_t(b), uint16_t(c)));
    };
    for (unsigned a : special)
        for (unsigned b : special)
            for (unsigned c : special) add(a, b, c);
    const unsigned few_bits = ~((1u << m / 2) - 1);
    for (int i = 0; i < 8192; i++) {
        const uint64_t r = random_bits(), r2 = random_bits();
        const unsigned a = r & 0xffff, b = r >> 16, c = r2 & 0xffff;
        add(a, b, c);
        add(a, a ^ (b & (sign | ((8u << m) - 1))), c);                                 // b is about as large as a
        add(a, b, f.round(-f.value(a) * f.value(b)) ^ (c & 3));                     // c nearly cancels a * b
        add(a & few_bits, b & few_bits, (r2 & 1) ? c & (sign | ((1u << m) - 1)) : c);  // a * b is often a tie, and c tiny
    }
    return in;
}

// Whether a result is what it should be: bit for bit, or off by so much at the most.
bool right(const Layout& f, Op op, unsigned got, unsigned want, int* distance) {
    *distance = 0;
    const bool nan = (want & (f.sign() - 1)) > f.largest + 1;
    if (got == want) return true;
#ifndef CUDA_ON_CPU
    if (nan) return op < exact_1 && (got & (f.sign() - 1)) > f.largest + 1;  // __hneg(NaN) is some NaN
    if (op < exact_1 || op > mathematics || nan) return false;
    if (op == op_htanh_approx) return std::fabs(f.value(got) - f.value(want)) <= std::ldexp(1, -f.mantissa);
    auto ordered = [&](unsigned u) { return u & f.sign() ? -int(u & (f.sign() - 1)) : int(u); };
    *distance = std::abs(ordered(got) - ordered(want));
    return *distance <= 1;
#else
    return nan && op == operations;
#endif
}

template <class T, class T2>
void test_arithmetic(const char* type, const Layout& f, bool count) {
    const std::vector<ushort3> some = triples(f);
    std::vector<ushort3> all;
    for (unsigned u = 0; u < 65536; u++) all.push_back(make_ushort3(uint16_t(u), uint16_t(u ^ 1), 0));
    ushort3* in = device_array<ushort3>(some.size() + all.size());
    uint64_t* out = device_array<uint64_t>(some.size() + all.size());
    for (int o = 0; o < operations; o++) {
        const Op op = Op(o);
        if (names[op][0] == 0) continue;  // between the groups
        const std::vector<ushort3>& values = op <= mathematics ? all : some;
        const int n = int(values.size());
        std::copy(values.begin(), values.end(), in);
        calculate<T, T2><<<(n + 255) / 256, 256>>>(op, out, in, n);
        EXPECT_DONE();
        int wrong = 0, near = 0, distance = 0;
        for (int i = 0; i < n; i++) {
            const double x = f.value(in[i].x), y = f.value(in[i].y), z = f.value(in[i].z);
            bool good = true;
            if (op > exact_3) {
                const bool low = holds(op, x, y), high = holds(op, y, z);
                good = out[i] == ((low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u) | uint64_t(low) << 32 |
                                  uint64_t(low && high) << 33 | uint64_t(1) << 34);
            } else {
                const unsigned want = f.round(expected(op, x, y, z));
                const unsigned want_y = op < mathematics ? f.round(expected(op, y, 0, 0)) : f.round(expected(op, y, z, x));
                good = right(f, op, out[i] & 0xffff, want, &distance);
                near += distance;
                good = good && right(f, op, out[i] >> 16 & 0xffff, want, &distance);
                good = good && right(f, op, out[i] >> 32, want_y, &distance);
                if (!good && wrong == 0)
                    std::printf("%s %s(%g, %g, %g): %012llx, expected %04x and %04x\n", type, names[op], x, y, z,
                                (unsigned long long)out[i], want, want_y);
            }
            wrong += !good;
        }
        if (wrong) std::printf("%s %s: %d of %d are wrong\n", type, names[op], wrong, n);
        EXPECT(wrong == 0);
        if (count && op > exact_1 && op < mathematics) std::printf("%-9s %-13s %5d of 65536 are off by one\n", type, names[op], near);
    }
}

// ---- conversions ---------------------------------------------------------------------------------------------------

// The functions of one type; `mode` chooses among _rn, _rz, _rd and _ru.
#define BY_MODE(mode, name, x) (mode == RN ? name##_rn(x) : mode == RZ ? name##_rz(x) : mode == RD ? name##_rd(x) : name##_ru(x))
#define INTEGER(T, half, name, I)                                                                        \
    inline __device__ T from(I i, Mode mode, T) { return BY_MODE(mode, __##name##2##half, i); }          \
    inline __device__ I to(T a, Mode mode, I) { return BY_MODE(mode, __##half##2##name, a); }
#define CONVERSIONS(T, half)                                                                             \
    inline __device__ T from(float x, Mode mode, T) { return BY_MODE(mode, __float2##half, x); }         \
    inline __device__ T from(double x, Mode, T) { return __double2##half(x); }                           \
    inline __device__ float to(T a, Mode, float) { return __##half##2float(a); }                         \
    inline __device__ signed char to(T a, Mode, signed char) { return __##half##2char_rz(a); }           \
    inline __device__ unsigned char to(T a, Mode, unsigned char) { return __##half##2uchar_rz(a); }      \
    INTEGER(T, half, short, short)                                                                       \
    INTEGER(T, half, ushort, unsigned short)                                                             \
    INTEGER(T, half, int, int)                                                                           \
    INTEGER(T, half, uint, unsigned)                                                                     \
    INTEGER(T, half, ll, long long)                                                                      \
    INTEGER(T, half, ull, unsigned long long)
CONVERSIONS(__half, half)
CONVERSIONS(__nv_bfloat16, bfloat16)

template <class T, class S>
__global__ void convert_from(unsigned short* out, const S* in, int n, Mode mode) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = as<unsigned short>(from(in[i], mode, T(0.f)));
}
template <class T, class I>
__global__ void convert_to(I* out, Mode mode) {  // every pattern
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = to(as<T>(static_cast<unsigned short>(i)), mode, I());
}

// Every number of the format, every tie between two, their neighbours, and what is special. The signs alternate.
template <class S>
std::vector<S> between(const Layout& f) {
    std::vector<S> in;
    for (unsigned u = 0; u <= f.largest; u++) {
        const double v = f.value(u), next = u == f.largest ? 2 * v - f.value(u - 1) : f.value(u + 1);
        const S tie = S((v + next) / 2), sign = u % 2 ? -1 : 1;
        for (S x : {S(v), std::nextafter(tie, S(0)), -tie, std::nextafter(tie, S(INFINITY)), S(v + (next - v) / 4)})
            in.push_back(sign * x);
    }
    using limits = std::numeric_limits<S>;
    for (S x : {limits::max(), limits::min(), limits::denorm_min(), limits::infinity(), limits::quiet_NaN(), S(0)})
        in.push_back(x), in.push_back(-x);
    return in;
}
template <class I>
std::vector<I> integers() {
    std::vector<I> in;
    const int bits = sizeof(I) * 8;
    for (int k = 0; k < bits; k++)
        for (int tie = 0; tie <= k; tie++)  // 2^k + 2^tie is one in some format
            for (int d = -1; d <= 1; d++) {
                const uint64_t u = (uint64_t(1) << k) + (uint64_t(1) << tie) + uint64_t(d);
                in.push_back(I(u)), in.push_back(I(~u + 1)), in.push_back(I(3 * u));
            }
    for (int i = 0; i < 1000; i++) in.push_back(I((random_bits() << 32 | random_bits()) >> i % bits));
    return in;
}

Real real(float x) { return double(x); }
Real real(double x) { return x; }
template <class I>
Real real(I i) {
    return integer(i);
}

template <class T, class S>
void test_from(const Layout& f, const std::vector<S>& values, int modes = 4) {
    const int n = int(values.size());
    S* in = device_array<S>(n);
    unsigned short* out = device_array<unsigned short>(n);
    std::copy(values.begin(), values.end(), in);
    for (int mode = 0; mode < modes; mode++) {
        convert_from<T><<<(n + 255) / 256, 256>>>(out, in, n, Mode(mode));
        EXPECT_DONE();
        int wrong = 0;
        for (int i = 0; i < n; i++) wrong += out[i] != f.round(real(in[i]), Mode(mode));
        EXPECT(wrong == 0);
    }
}

template <class I>
I expected_integer(double x, Mode mode) {
    using limits = std::numeric_limits<I>;
    if (std::isnan(x)) return sizeof(I) == 8 ? I(uint64_t(1) << 63) : I(0);
    const double r = mode == RN ? std::nearbyint(x) : mode == RZ ? std::trunc(x) : mode == RD ? std::floor(x) : std::ceil(x);
    return r < double(limits::min()) ? limits::min() : r >= std::ldexp(1, limits::digits) ? limits::max() : I(r);
}
template <class T, class I>
void test_to(const Layout& f, std::initializer_list<Mode> modes) {
    I* out = device_array<I>(65536);
    for (Mode mode : modes) {
        convert_to<T><<<256, 256>>>(out, mode);
        EXPECT_DONE();
        int wrong = 0;
        for (int u = 0; u < 65536; u++) wrong += out[u] != expected_integer<I>(f.value(u), mode);
        EXPECT(wrong == 0);
    }
}

template <class T>
void test_conversions(const Layout& f) {
    test_from<T>(f, between<float>(f));
    test_from<T>(f, between<double>(f), 1);
    test_from<T>(f, integers<short>());
    test_from<T>(f, integers<unsigned short>());
    test_from<T>(f, integers<int>());
    test_from<T>(f, integers<unsigned>());
    test_from<T>(f, integers<long long>());
    test_from<T>(f, integers<unsigned long long>());
    test_to<T, signed char>(f, {RZ});
    test_to<T, unsigned char>(f, {RZ});
    test_to<T, short>(f, {RN, RZ, RD, RU});
    test_to<T, unsigned short>(f, {RN, RZ, RD, RU});
    test_to<T, int>(f, {RN, RZ, RD, RU});
    test_to<T, unsigned>(f, {RN, RZ, RD, RU});
    test_to<T, long long>(f, {RN, RZ, RD, RU});
    test_to<T, unsigned long long>(f, {RN, RZ, RD, RU});

    float* out = device_array<float>(65536);
    convert_to<T><<<256, 256>>>(out, RN);
    EXPECT_DONE();
    for (int u = 0; u < 65536; u++)
        EXPECT(std::isnan(f.value(u)) ? std::isnan(out[u]) : as<unsigned>(out[u]) == as<unsigned>(float(f.value(u))));
    EXPECT(f.mantissa == 7 || as<unsigned>(out[0xfe00]) == 0x7fffffff);
}

// half and bfloat16 to each other, and the 8-bit formats: every pattern of the source.
__global__ void convert_16(unsigned short* to_bfloat16, unsigned short* to_half) {
    const auto u = static_cast<unsigned short>(blockIdx.x * blockDim.x + threadIdx.x);
    to_bfloat16[u] = as<unsigned short>(__nv_bfloat16(as<__half>(u)));
    to_half[u] = as<unsigned short>(__half(as<__nv_bfloat16>(u)));
}
template <class S>
__global__ void convert_to_fp8(uint4* out, const S* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = make_uint4(__nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E4M3), __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3),
                            __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2), __nv_fp8_e5m2(in[i]).__x);
}
template <>
__global__ void convert_to_fp8(uint4* out, const double* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = make_uint4(__nv_cvt_double_to_fp8(in[i], __NV_NOSAT, __NV_E4M3), __nv_fp8_e4m3(in[i]).__x,
                            __nv_cvt_double_to_fp8(in[i], __NV_NOSAT, __NV_E5M2), __nv_cvt_double_to_fp8(in[i], __NV_SATFINITE, __NV_E5M2));
}
__global__ void convert_from_fp8(uint4* out) {
    const auto u = static_cast<unsigned char>(threadIdx.x);
    const __half2 both(__nv_cvt_fp8x2_to_halfraw2(static_cast<unsigned short>(u << 8 | u), __NV_E4M3));
    __nv_fp8_e5m2 e5m2;
    e5m2.__x = u;
    out[u] = make_uint4(__nv_cvt_fp8_to_halfraw(u, __NV_E4M3).x, __nv_cvt_fp8_to_halfraw(u, __NV_E5M2).x, as<unsigned>(both),
                        as<unsigned>(float(e5m2)));
}
__global__ void vectors_of_fp8(float4* out) {
    const __nv_fp8x4_e4m3 v(make_float4(1, -2, 3000, 0.3f));
    const __nv_fp8x2_e5m2 h(__floats2half2_rn(1.6f, -1e5f)), b(__floats2bfloat162_rn(1e30f, 1.1f));
    out[0] = float4(v);
    const float2 f = float2(h), g = __half22float2(__half2(b));
    out[1] = make_float4(f.x, f.y, g.x, g.y);
    out[2].x = float(int(__nv_fp8_e4m3(-7.9f)));
}

template <class S>
void test_to_fp8(const Layout& e4m3, const Layout& e5m2) {
    std::vector<S> values = between<S>(e4m3);
    for (S x : between<S>(e5m2)) values.push_back(x);
    const int n = int(values.size());
    S* in = device_array<S>(n);
    uint4* out = device_array<uint4>(n);
    std::copy(values.begin(), values.end(), in);
    convert_to_fp8<<<(n + 255) / 256, 256>>>(out, in, n);
    EXPECT_DONE();
    auto saturated = [](const Layout& f, unsigned u) { return (u & 0x7f) > f.largest ? (u & 0x80) | f.largest : u; };
    for (int i = 0; i < n; i++) {
        if (std::isnan(in[i])) {
            EXPECT((out[i].x & 0x7f) == 0x7f && (out[i].y & 0x7f) == 0x7f && (out[i].z & 0x7f) > 0x7c && (out[i].w & 0x7f) > 0x7c);
            continue;
        }
        const unsigned x = e4m3.round(double(in[i])), z = e5m2.round(double(in[i]));
        EXPECT(out[i].x == x && out[i].y == saturated(e4m3, x) && out[i].z == z && out[i].w == saturated(e5m2, z));
    }
}

void test_formats(const Layout& half, const Layout& bfloat16) {
    unsigned short* out = device_array<unsigned short>(2 * 65536);
    convert_16<<<256, 256>>>(out, out + 65536);
    EXPECT_DONE();
    for (int u = 0; u < 65536; u++) {
        EXPECT(out[u] == bfloat16.round(half.value(u)));
        EXPECT(out[65536 + u] == half.round(bfloat16.value(u)));
    }

    const Layout e4m3{4, 3, 0x7e}, e5m2{5, 2, 0x7b};
    test_to_fp8<float>(e4m3, e5m2);
    test_to_fp8<double>(e4m3, e5m2);
    uint4* wide = device_array<uint4>(256);
    convert_from_fp8<<<1, 256>>>(wide);
    EXPECT_DONE();
    for (unsigned u = 0; u < 256; u++) {
        const unsigned x = half.round(e4m3.value(u)), y = half.round(e5m2.value(u));
        EXPECT(wide[u].x == x && wide[u].y == y && wide[u].z == x * 0x10001);
        EXPECT(std::isnan(e5m2.value(u)) ? (wide[u].w & 0x7fffffff) > 0x7f800000 : wide[u].w == as<unsigned>(float(e5m2.value(u))));
    }
    float4* v = device_array<float4>(3);
    vectors_of_fp8<<<1, 1>>>(v);
    EXPECT_DONE();
    EXPECT(v[0].x == 1 && v[0].y == -2 && v[0].z == 448 && v[0].w == 0.3125f && v[2].x == -8);
    EXPECT(v[1].x == 1.5f && v[1].y == -57344 && v[1].z == 57344 && v[1].w == 1);
}

int main(int argc, char**) {
    const Layout half{5, 10, 0x7bff}, bfloat16{8, 7, 0x7f7f};
    const bool count = argc > 1;
    test_arithmetic<__half, __half2>("half", half, count);
    test_arithmetic<__nv_bfloat16, __nv_bfloat162>("bfloat16", bfloat16, count);
    test_conversions<__half>(half);
    test_conversions<__nv_bfloat16>(bfloat16);
    test_formats(half, bfloat16);
    return report();
}
