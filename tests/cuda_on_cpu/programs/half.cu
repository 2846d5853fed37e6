// half and bfloat16: every operation and conversion against an expected result that the host works out in another way,
// from real numbers. So a run that prints ok says that CPU and GPU agree in bits. `half count` prints for each function
// of the mathematics how many results are not the nearest number: on a GPU there may be some.
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
    unsigned largest;                                        // the pattern of the largest number
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
        if (error != 0)
            rest = rest == 0.5 ? 0.5 + (error < 0 ? -0.25 : 0.25) : rest == 0 ? 0.25 : rest == 1 ? 0.75 : rest;
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

#define EXACT_1(X)                      \
    X(__hneg, __hneg2, -x)              \
    X(__habs, __habs2, std::fabs(x))    \
    X(hrint, h2rint, std::nearbyint(x)) \
    X(htrunc, h2trunc, std::trunc(x))   \
    X(hfloor, h2floor, std::floor(x))   \
    X(hceil, h2ceil, std::ceil(x))
#define MATHEMATICS(X)                   \
    X(hsqrt, h2sqrt, std::sqrt(x))       \
    X(hrsqrt, h2rsqrt, 1 / std::sqrt(x)) \
    X(hrcp, h2rcp, 1 / x)                \
    X(hexp, h2exp, std::exp(x))          \
    X(hexp2, h2exp2, std::exp2(x))       \
    X(hexp10, h2exp10, std::pow(10, x))  \
    X(hlog, h2log, std::log(x))          \
    X(hlog2, h2log2, std::log2(x))       \
    X(hlog10, h2log10, std::log10(x))    \
    X(hsin, h2sin, std::sin(x))          \
    X(hcos, h2cos, std::cos(x))          \
    X(htanh, h2tanh, std::tanh(x))       \
    X(htanh_approx, h2tanh_approx, std::tanh(x))
#define EXACT_2(X)                                                \
    X(__hadd, __hadd2, sum(x, y))                                 \
    X(__hsub, __hsub2, sum(x, -y))                                \
    X(__hmul, __hmul2, (x * y))                                   \
    X(__hdiv, __h2div, x / y)                                     \
    X(__hadd_rn, __hadd2_rn, sum(x, y))                           \
    X(__hsub_rn, __hsub2_rn, sum(x, -y))                          \
    X(__hmul_rn, __hmul2_rn, (x * y))                             \
    X(__hadd_sat, __hadd2_sat, clamped(sum(x, y)))                \
    X(__hsub_sat, __hsub2_sat, clamped(sum(x, -y)))               \
    X(__hmul_sat, __hmul2_sat, clamped((x * y)))                  \
    X(__hmax, __hmax2, larger(x, y))                              \
    X(__hmin, __hmin2, -larger(-x, -y))                           \
    X(__hmax_nan, __hmax2_nan, number_or_nan(x, y, larger(x, y))) \
    X(__hmin_nan, __hmin2_nan, number_or_nan(x, y, -larger(-x, -y)))
#define EXACT_3(X)                                       \
    X(__hfma, __hfma2, sum((x * y), z))                  \
    X(__hfma_sat, __hfma2_sat, clamped(sum((x * y), z))) \
    X(__hfma_relu, __hfma2_relu, not_negative(sum((x * y), z)))
#define COMPARISONS(X)          \
    X(eq, x == y)               \
    X(ne, (x < y) || (x > y))   \
    X(lt, x < y)                \
    X(le, x <= y)               \
    X(gt, x > y)                \
    X(ge, x >= y)               \
    X(equ, unordered || x == y) \
    X(neu, unordered || x != y) \
    X(ltu, unordered || x < y)  \
    X(leu, unordered || x <= y) \
    X(gtu, unordered || x > y)  \
    X(geu, unordered || x >= y)

#define ENUMERATOR(name, ...) op_##name,
enum Op {
    EXACT_1(ENUMERATOR) exact_1,
    MATHEMATICS(ENUMERATOR) mathematics,
    EXACT_2(ENUMERATOR) exact_2,
    EXACT_3(ENUMERATOR) exact_3,
    COMPARISONS(ENUMERATOR) operations
};
#define NAME(name, ...) #name,
const char* const names[] = {EXACT_1(NAME) "", MATHEMATICS(NAME) "", EXACT_2(NAME) "", EXACT_3(NAME) "",
                             COMPARISONS(NAME)};

// Four results of 16 bits: of a, b, c and of b, c, a, and both once more from the form for two numbers.
template <class T, class T2>
__device__ uint64_t packed(T r, T r_next, T2 both) {
    return as<unsigned short>(r) | uint64_t(as<unsigned short>(r_next)) << 16 | uint64_t(as<unsigned>(both)) << 32;
}
template <class T2, class T>
__device__ uint64_t calculated(Op op, T a, T b, T c) {
    const T2 ab(a, b), bc(b, c), ca(c, a);
#define TRY(name, name2, ...) \
    if (op == op_##name) return packed(name(a), name(b), name2(ab));
    EXACT_1(TRY);
    MATHEMATICS(TRY);
#undef TRY
#define TRY(name, name2, ...) \
    if (op == op_##name) return packed(name(a, b), name(b, c), name2(ab, bc));
    EXACT_2(TRY);
#undef TRY
#define TRY(name, name2, ...) \
    if (op == op_##name) return packed(name(a, b, c), name(b, c, a), name2(ab, bc, ca));
    EXACT_3(TRY);
#undef TRY
    const unsigned ones = as<unsigned short>(T(1.f)) * 0x10001u;
#define TRY(name, ...)                                                                                 \
    if (op == op_##name) {                                                                             \
        const unsigned mask = __h##name##2_mask(ab, bc), numbers = as<unsigned>(__h##name##2(ab, bc)); \
        return mask | uint64_t(__h##name(a, b)) << 32 | uint64_t(__h##name(b, c)) << 33 |              \
               uint64_t(__hb##name##2(ab, bc)) << 34 | uint64_t(numbers == (mask & ones)) << 35;       \
    }
    COMPARISONS(TRY);
#undef TRY
    return 0;
}
template <class T, class T2>
__global__ void calculate(Op op, uint64_t* out, const ushort3* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = calculated<T2>(op, as<T>(in[i].x), as<T>(in[i].y), as<T>(in[i].z));
}

Real expected(Op op, double x, double y, double z) {
#define TRY(name, name2, ...) \
    if (op == op_##name) return __VA_ARGS__;
    EXACT_1(TRY);
    MATHEMATICS(TRY);
    EXACT_2(TRY);
    EXACT_3(TRY);
#undef TRY
    return NAN;
}
bool holds(Op op, double x, double y) {
    const bool unordered = std::isnan(x) || std::isnan(y);
#define TRY(name, ...) \
    if (op == op_##name) return __VA_ARGS__;
    COMPARISONS(TRY);
#undef TRY
    return unordered;
}
uint64_t expected_comparison(Op op, double x, double y, double z) {
    const bool low = holds(op, x, y), high = holds(op, y, z);
    return (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u) | uint64_t(low) << 32 | uint64_t(high) << 33 |
           uint64_t(low && high) << 34 | uint64_t(1) << 35;
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
    for (unsigned u :
         {0u, 1u, (1u << m) - 1, 1u << m, one - 1, one, one + 1, one + 3 * (1u << m) / 2, f.largest, inf, inf + 1})
        special.push_back(u), special.push_back(u | sign);
    std::vector<ushort3> in;
    auto add = [&](unsigned a, unsigned b, unsigned c) {
        in.push_back(make_ushort3(uint16_t(a), uint16_t(b), uint16_t(c)));
    };
    for (unsigned a : special)
        for (unsigned b : special)
            for (unsigned c : special) add(a, b, c);
    const unsigned few_bits = ~((1u << m / 2) - 1);
    for (int i = 0; i < 5000; i++) {
        const uint64_t r = random_bits(), r2 = random_bits();
        const unsigned a = r & 0xffff, b = r >> 16, c = r2 & 0xffff;
        add(a, b, c);
        add(a, a ^ (b & (sign | ((8u << m) - 1))), c);           // b is about as large as a
        add(a, b, f.round(-f.value(a) * f.value(b)) ^ (c & 3));  // c nearly cancels a * b
        add(a & few_bits, b & few_bits,
            (r2 & 1) ? c & (sign | ((1u << m) - 1)) : c);  // a * b is often a tie, and c tiny
    }
    return in;
}

// Whether a result is the expected one, bit for bit. A GPU is allowed another NaN where nothing is calculated (-NaN),
// and a neighbour of the expected number in the mathematics: that counts in `near`.
bool right(const Layout& f, Op op, unsigned got, unsigned want, int& near) {
    if (got == want) return true;
#ifdef CUDA_ON_CPU
    (void)f, (void)op, (void)near;
    return false;
#else
    if (op > mathematics) return false;
    const double x = f.value(got), y = f.value(want);
    if (std::isnan(y)) return std::isnan(x);
    if (op < exact_1) return false;
    near++;
    if (op == op_htanh_approx) return std::fabs(x - y) <= std::ldexp(1, -f.mantissa);
    return (got & f.sign()) == (want & f.sign()) && std::abs(int(got) - int(want)) == 1;
#endif
}

template <class T, class T2>
void test_arithmetic(const char* type, const Layout& f, bool count) {
    const std::vector<ushort3> some = triples(f);
    std::vector<ushort3> all;  // the functions of one number get every number
    for (unsigned u = 0; u < 65536; u += 2) all.push_back(make_ushort3(uint16_t(u), uint16_t(u + 1), 0));
    ushort3* in = device_array<ushort3>(all.size());
    uint64_t* out = device_array<uint64_t>(all.size());
    for (int o = 0; o < operations; o++) {
        const Op op = Op(o);
        if (names[op][0] == 0) continue;  // between the groups
        const std::vector<ushort3>& values = op < mathematics ? all : some;
        const int n = int(values.size());
        std::copy(values.begin(), values.end(), in);
        calculate<T, T2><<<(n + 255) / 256, 256>>>(op, out, in, n);
        EXPECT_DONE();
        int wrong = 0, near = 0;
        for (int i = 0; i < n; i++) {
            const double x = f.value(in[i].x), y = f.value(in[i].y), z = f.value(in[i].z);
            bool good = true;
            if (op > exact_3) {
                good = out[i] == expected_comparison(op, x, y, z);
            } else {
                const unsigned want[] = {f.round(expected(op, x, y, z)), f.round(expected(op, y, z, x))};
                for (int k = 0; k < 4; k++) good &= right(f, op, out[i] >> 16 * k & 0xffff, want[k % 2], near);
            }
            if (!good && wrong++ == 0)
                std::printf("%s %s of %a, %a, %a: %016llx\n", type, names[op], x, y, z, (unsigned long long)out[i]);
        }
        if (wrong) std::printf("%s %s: %d of %d are wrong\n", type, names[op], wrong, n);
        EXPECT(wrong == 0);
        if (count && op > exact_1 && op < mathematics)
            std::printf("%-9s %-13s %6d of 131072 results are not the nearest number\n", type, names[op], near);
    }
}

// ---- conversions ---------------------------------------------------------------------------------------------------

enum Type { Float, Double, Short, Ushort, Int, Uint, Ll, Ull, Char, Uchar };
#define TYPES(X)                \
    X(Short, short, int16_t)    \
    X(Ushort, ushort, uint16_t) \
    X(Int, int, int32_t)        \
    X(Uint, uint, uint32_t)     \
    X(Ll, ll, int64_t)          \
    X(Ull, ull, uint64_t)

// The functions of one type: _rn, _rz, _rd, _ru. Values of all types travel as 64 bits.
#define BY_MODE(name, x) \
    (mode == RN ? name##_rn(x) : mode == RZ ? name##_rz(x) : mode == RD ? name##_rd(x) : name##_ru(x))
#define FROM_HALF(Name, name, I) \
    if (type == Name) return BY_MODE(__##name##2half, I(bits));
#define FROM_BFLOAT16(Name, name, I) \
    if (type == Name) return BY_MODE(__##name##2bfloat16, I(bits));
#define TO_HALF(Name, name, I) \
    if (type == Name) return uint64_t(BY_MODE(__half2##name, a));
#define TO_BFLOAT16(Name, name, I) \
    if (type == Name) return uint64_t(BY_MODE(__bfloat162##name, a));
#define CONVERSIONS(T, half, FROM, TO)                                                \
    __device__ T from(Type type, Mode mode, uint64_t bits, T) {                       \
        TYPES(FROM)                                                                   \
        if (type == Float) return BY_MODE(__float2##half, as<float>(unsigned(bits))); \
        return __double2##half(as<double>(bits));                                     \
    }                                                                                 \
    __device__ uint64_t to(Type type, Mode mode, T a) {                               \
        TYPES(TO)                                                                     \
        if (type == Char) return uint64_t(__##half##2char_rz(a));                     \
        if (type == Uchar) return uint64_t(__##half##2uchar_rz(a));                   \
        return as<unsigned>(__##half##2float(a));                                     \
    }
CONVERSIONS(__half, half, FROM_HALF, TO_HALF)
CONVERSIONS(__nv_bfloat16, bfloat16, FROM_BFLOAT16, TO_BFLOAT16)

template <class T>
__global__ void convert_from(Type type, Mode mode, uint64_t* out, const uint64_t* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = as<unsigned short>(from(type, mode, in[i], T(0.f)));
}
template <class T>
__global__ void convert_to(Type type, Mode mode, uint64_t* out) {  // every pattern
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = to(type, mode, as<T>(static_cast<unsigned short>(i)));
}

// Every number of the format, every tie between two, their neighbours, and what is special. The signs alternate.
template <class S>
std::vector<S> between(const Layout& f) {
    std::vector<S> in;
    for (unsigned u = 0; u <= f.largest; u += f.exponent == 8 ? 3 : 1) {  // bfloat16's many exponents are alike
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
std::vector<uint64_t> integers() {
    std::vector<uint64_t> in;
    for (int k = 0; k < 64; k++)
        for (int tie = 0; tie <= k; tie++)  // 2^k + 2^tie is one in some format
            for (int d = -1; d <= 1; d++) {
                const uint64_t u = (uint64_t(1) << k) + (uint64_t(1) << tie) + uint64_t(d);
                in.push_back(u), in.push_back(~u + 1), in.push_back(3 * u);
            }
    for (int i = 0; i < 1000; i++) in.push_back((random_bits() << 32 | random_bits()) >> i % 64);
    return in;
}

Real real(Type type, uint64_t bits) {
#define TRY(Name, name, I) \
    if (type == Name) return integer(I(bits));
    TYPES(TRY);
#undef TRY
    return type == Float ? double(as<float>(unsigned(bits))) : as<double>(bits);
}
template <class I>
uint64_t nearest_integer(double x, Mode mode) {
    using limits = std::numeric_limits<I>;
    if (std::isnan(x)) return sizeof(I) == 8 ? uint64_t(1) << 63 : 0;
    const double r = mode == RN   ? std::nearbyint(x)
                     : mode == RZ ? std::trunc(x)
                     : mode == RD ? std::floor(x)
                                  : std::ceil(x);
    return uint64_t(r < double(limits::min())            ? limits::min()
                    : r >= std::ldexp(1, limits::digits) ? limits::max()
                                                         : I(r));
}
uint64_t expected_integer(Type type, double x, Mode mode) {
#define TRY(Name, name, I) \
    if (type == Name) return nearest_integer<I>(x, mode);
    TYPES(TRY);
#undef TRY
    return type == Char ? nearest_integer<signed char>(x, mode) : nearest_integer<unsigned char>(x, mode);
}

// The pattern for a number of that type. A double's NaN keeps its sign and its first bits; all others become one.
unsigned converted(const Layout& f, Type type, uint64_t bits, Mode mode) {
    if (type != Double || !std::isnan(as<double>(bits))) return f.round(real(type, bits), mode);
    const unsigned quiet = 1u << (f.mantissa - 1), payload = unsigned(bits >> (52 - f.mantissa)) & (2 * quiet - 1);
    return (bits >> 63 ? f.sign() : 0) | (f.largest + 1) | quiet | payload;
}

template <class T>
void test_conversions(const char* name, const Layout& f) {
    std::vector<uint64_t> floats, doubles, whole = integers();
    for (float x : between<float>(f)) floats.push_back(as<unsigned>(x));
    for (double x : between<double>(f)) doubles.push_back(as<uint64_t>(x));
    for (uint64_t nan : {0x7ff0000000000001ull, 0x7ffa345600000000ull, 0xfffa345600000000ull, 0x7ff4000000000000ull})
        doubles.push_back(nan);
    const size_t most = std::max<size_t>(doubles.size(), 65536);
    uint64_t *in = device_array<uint64_t>(most), *out = device_array<uint64_t>(most);
    for (Type type : {Float, Double, Short, Ushort, Int, Uint, Ll, Ull}) {
        const std::vector<uint64_t>& values = type == Float ? floats : type == Double ? doubles : whole;
        const int n = int(values.size());
        std::copy(values.begin(), values.end(), in);
        for (Mode mode : {RN, RZ, RD, RU}) {
            if (type == Double && mode != RN) continue;
            convert_from<T><<<(n + 255) / 256, 256>>>(type, mode, out, in, n);
            EXPECT_DONE();
            int wrong = 0;
            for (int i = 0; i < n; i++) {
                const unsigned expected = converted(f, type, in[i], mode);
                if (out[i] != expected && wrong++ == 0)
                    std::printf("%s from type %d, mode %d: %llx becomes %llx, not %x\n", name, type, mode,
                                (unsigned long long)in[i], (unsigned long long)out[i], expected);
            }
            EXPECT(wrong == 0);
        }
    }
    for (Type type : {Short, Ushort, Int, Uint, Ll, Ull, Char, Uchar})
        for (Mode mode : {RZ, RN, RD, RU}) {
            if (type >= Char && mode != RZ) continue;
            convert_to<T><<<256, 256>>>(type, mode, out);
            EXPECT_DONE();
            int wrong = 0;
            for (int u = 0; u < 65536; u++) wrong += out[u] != expected_integer(type, f.value(u), mode);
            if (wrong) std::printf("%s to type %d, mode %d: %d\n", name, type, mode, wrong);
            EXPECT(wrong == 0);
        }
    convert_to<T><<<256, 256>>>(Float, RN, out);
    EXPECT_DONE();
    for (int u = 0; u < 65536; u++) {
        const double x = f.value(u);
        EXPECT(std::isnan(x) ? std::isnan(as<float>(unsigned(out[u]))) : out[u] == as<unsigned>(float(x)));
    }
    EXPECT(f.mantissa == 7 || out[0xfe00] == 0x7fffffff);  // bfloat16's NaN keeps its bits
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
        out[i] = make_uint4(__nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E4M3),
                            __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3),
                            __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2), __nv_fp8_e5m2(in[i]).__x);
}
template <>
__global__ void convert_to_fp8(uint4* out, const double* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = make_uint4(__nv_cvt_double_to_fp8(in[i], __NV_NOSAT, __NV_E4M3), __nv_fp8_e4m3(in[i]).__x,
                            __nv_cvt_double_to_fp8(in[i], __NV_NOSAT, __NV_E5M2),
                            __nv_cvt_double_to_fp8(in[i], __NV_SATFINITE, __NV_E5M2));
}
__global__ void convert_from_fp8(uint4* out) {
    const auto u = static_cast<unsigned char>(threadIdx.x);
    const __half2 both(__nv_cvt_fp8x2_to_halfraw2(static_cast<unsigned short>(u << 8 | u), __NV_E4M3));
    __nv_fp8_e5m2 e5m2;
    e5m2.__x = u;
    out[u] = make_uint4(__nv_cvt_fp8_to_halfraw(u, __NV_E4M3).x, __nv_cvt_fp8_to_halfraw(u, __NV_E5M2).x,
                        as<unsigned>(both), as<unsigned>(float(e5m2)));
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
            EXPECT((out[i].x & 0x7f) == 0x7f && (out[i].y & 0x7f) == 0x7f && (out[i].z & 0x7f) > 0x7c &&
                   (out[i].w & 0x7f) > 0x7c);
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
        EXPECT(std::isnan(e5m2.value(u)) ? (wide[u].w & 0x7fffffff) > 0x7f800000
                                         : wide[u].w == as<unsigned>(float(e5m2.value(u))));
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
    test_conversions<__half>("half", half);
    test_conversions<__nv_bfloat16>("bfloat16", bfloat16);
    test_formats(half, bfloat16);
    return report();
}
