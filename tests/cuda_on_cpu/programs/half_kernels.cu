// half and bfloat16 as kernels use them: types and operators, pairs, shuffles, atomics, loads of 16 bytes.
// It also compiles with the macros that torch passes, which take operators and unnamed conversions away.
#include <cuda_bf16.h>
#include <type_traits>
#include "expect.h"

namespace types {

static_assert(sizeof(__half) == 2 && alignof(__half) == 2 && sizeof(__half2) == 4 && alignof(__half2) == 4, "");
static_assert(sizeof(__nv_bfloat16) == 2 && sizeof(__nv_bfloat162) == 4 && alignof(__nv_bfloat162) == 4, "");
static_assert(std::is_same<half, __half>::value && std::is_same<half2, __half2>::value, "");
static_assert(std::is_same<nv_bfloat16, __nv_bfloat16>::value && std::is_same<nv_bfloat162, __nv_bfloat162>::value, "");
static_assert(std::is_trivially_default_constructible<half>::value, "so that __shared__ and unions can have it");
union Pieces {
    float4 whole;
    half numbers[8];
    half2 pairs[4];
};
__constant__ half table[2] = {__half_raw{0x3c00}, __half_raw{0x4000}};  // 1, 2

__global__ void bits(float* out) {
    constexpr half from_bits = __half_raw{0x3c00};
    volatile half v;
    v = from_bits;
    const half h = v;
    const __half2_raw both = half2(h, table[1]);
    Pieces pieces;
    pieces.whole = make_float4(0, 0, 0, 0);
    pieces.pairs[1] = __half2_raw(both);
    out[0] = __half2float(h), out[1] = both.y, out[2] = __half2float(pieces.numbers[3]);
    out[3] = __half_as_ushort(CUDART_INF_FP16), out[4] = __bfloat16_as_short(CUDART_NEG_ZERO_BF16);
    out[5] = __half2float(__short_as_half(short(0xc000))), out[6] = __bfloat162float(__ushort_as_bfloat16(0x4040));
}

void test() {
    float* out = device_array<float>(7);
    bits<<<1, 1>>>(out);
    EXPECT_DONE();
    EXPECT(out[0] == 1 && out[1] == 0x4000 && out[2] == 2 && out[3] == 0x7c00 && out[4] == -32768);
    EXPECT(out[5] == -2 && out[6] == 3);
    EXPECT(__half2float(__float2half(0.1f)) == 0.0999755859375f);  // the host has them as well
    EXPECT(__bfloat162float(__float2bfloat16(0.1f)) == 0.10009765625f);
}

}  // namespace types

// Pairs: what comes from where.
namespace pairs {

template <class T2, class T>
__device__ void store(float* out, T2 v, T low, T high) {
    out[0] = __low2float(v), out[1] = __high2float(v);
    out[2] = __heq(v.x, low) && __heq(v.y, high);
}
__global__ void halves(float* out) {
    const half one = __float2half(1), two = __float2half(2);
    const half2 a = __floats2half2_rn(1, 2), b = __float22half2_rn(make_float2(3, 4)), c = __float2half2_rn(5);
    const float2 f = __half22float2(b);
    store(out, __halves2half2(__low2half(a), __high2half(b)), one, __float2half(4));
    store(out + 3, __lowhigh2highlow(a), two, one);
    store(out + 6, __lows2half2(a, b), one, __float2half(3));
    store(out + 9, __highs2half2(a, b), two, __float2half(4));
    store(out + 12, __hadd2(__low2half2(b), __high2half2(b)), __float2half(7), __float2half(7));
    store(out + 15, make_half2(__float2half(f.y), __low2half(c)), __float2half(4), __float2half(5));
    store(out + 18, __half2half2(two), two, two);
    // (1 + 2i) (3 + 4i) + (5 + 5i) = 0 + 15i
    store(out + 21, __hcmadd(a, b, c), __float2half(0), __float2half(15));
    out[24] = __hisinf(hrcp(__float2half(-0.f))), out[25] = __hisnan(hsqrt(__float2half(-1)));
    out[26] = __low2float(__hisnan2(make_half2(hsqrt(__float2half(-1)), one)));
}
__global__ void bfloat16s(float* out) {
    const nv_bfloat16 one = __float2bfloat16(1), two = __float2bfloat16(2);
    const nv_bfloat162 a = __floats2bfloat162_rn(1, 2), b = __float22bfloat162_rn(make_float2(3, 4));
    const nv_bfloat162 c = __float2bfloat162_rn(5);
    const float2 f = __bfloat1622float2(b);
    store(out, __halves2bfloat162(__low2bfloat16(a), __high2bfloat16(b)), one, __float2bfloat16(4));
    store(out + 3, __lowhigh2highlow(a), two, one);
    store(out + 6, __lows2bfloat162(a, b), one, __float2bfloat16(3));
    store(out + 9, __highs2bfloat162(a, b), two, __float2bfloat16(4));
    store(out + 12, __hadd2(__low2bfloat162(b), __high2bfloat162(b)), __float2bfloat16(7), __float2bfloat16(7));
    store(out + 15, make_bfloat162(__float2bfloat16(f.y), __low2bfloat16(c)), __float2bfloat16(4), __float2bfloat16(5));
    store(out + 18, __bfloat162bfloat162(two), two, two);
    store(out + 21, __hcmadd(a, b, c), __float2bfloat16(0), __float2bfloat16(15));
    out[24] = __hisinf(hrcp(__float2bfloat16(-0.f))), out[25] = __hisnan(hsqrt(__float2bfloat16(-1)));
    out[26] = __low2float(__hisnan2(make_bfloat162(hsqrt(__float2bfloat16(-1)), one)));
}

void test() {
    float* out = device_array<float>(27);
    for (int i = 0; i < 2; i++) {
        i ? bfloat16s<<<1, 1>>>(out) : halves<<<1, 1>>>(out);
        EXPECT_DONE();
        const float expected[] = {1, 4, 1, 2, 1, 1, 1, 3, 1, 2, 4, 1, 7, 7, 1, 4, 5, 1, 2, 2, 1, 0, 15, 1, -1, 1, 1};
        for (int k = 0; k < 27; k++) EXPECT(out[k] == expected[k]);
    }
}

}  // namespace pairs

// Threads: sums with shuffles, shared memory and atomics; loads and stores, also of eight numbers at once.
namespace threads {

template <class T>
__device__ T warp_sum(T v) {
    for (int d = 16; d > 0; d /= 2) v = __hadd(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}
template <class T>
__global__ void block_sum(T* out, const T* x) {
    __shared__ T partial[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const T v = warp_sum(__ldg(x + blockIdx.x * blockDim.x + threadIdx.x));
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 0; w < 8; w++) atomicAdd(out, partial[w]);
}
template <class T, class T2>
__global__ void moves(T* out, const T* x) {  // 32 threads, eight numbers each
    const int i = threadIdx.x;
    float4 eight = __ldcs(reinterpret_cast<const float4*>(x) + i);
    T2* two = reinterpret_cast<T2*>(&eight);
    for (int k = 0; k < 4; k++) two[k] = __hfma2(two[k], two[k], __lowhigh2highlow(two[k]));
    __stcs(reinterpret_cast<float4*>(out) + i, eight);
    T2 next = __shfl_down_sync(0xffffffff, two[0], 1);
    const T first = __shfl_sync(0xffffffff, next.x, 0), before = __shfl_up_sync(0xffffffff, next.y, 1);
    atomicAdd(reinterpret_cast<T2*>(out + 256), T2(first, before));
    __stcg(out + 258, __ldca(x + 1)), __stwt(reinterpret_cast<T2*>(out + 260), __ldcg(reinterpret_cast<const T2*>(x)));
}

template <class T, class T2>
void test(float (*to_float)(T), T (*from_float)(float)) {
    T *x = device_array<T>(1024), *out = device_array<T>(264);
    for (int i = 0; i < 1024; i++) x[i] = from_float(float(i % 4) / 4);  // small enough for sums without rounding
    block_sum<<<1, 256>>>(out, x);
    EXPECT_DONE();
    EXPECT(to_float(out[0]) == 96);

    for (int i = 0; i < 256; i++) x[i] = from_float(float(i % 8));
    out[0] = from_float(0);
    moves<T, T2><<<1, 32>>>(out, x);
    EXPECT_DONE();
    for (int i = 0; i < 256; i++) EXPECT(to_float(out[i]) == float((i % 8) * (i % 8) + ((i % 8) ^ 1)));
    // two[0] is {0 * 0 + 1, 1 * 1 + 0} in all threads.
    EXPECT(to_float(out[256]) == 32 && to_float(out[257]) == 32);
    EXPECT(to_float(out[258]) == 1 && to_float(out[260]) == 0 && to_float(out[261]) == 1);
}

}  // namespace threads

#ifndef __CUDA_NO_HALF_OPERATORS__
// Operators, and conversions without a name.
namespace operators {

template <class T, class T2>
__global__ void all(float* out) {
    T a = 3.f, b = 2;  // from float, from int
    a += b, out[0] = a;
    a -= 1, out[1] = a;
    a *= 0.5, out[2] = a;  // from double
    a /= T(4u), out[3] = a;
    out[4] = a++, out[5] = ++a;
    out[4] += float(a--), out[5] += float(--a);
    out[6] = -a, out[7] = +a;
    out[8] = (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b);
    out[9] = a ? 1 : 0, out[10] = T(0.f) ? 1 : 0;
    const int i = T(7.9f);
    const unsigned char c = T(-1.f);
    const long long l = T(-2.5f);
    const short s = T(1e9f);  // bfloat16: too large; half: infinite
    const char k = T(65.5f);
    out[11] = i, out[12] = c, out[13] = l, out[14] = s, out[15] = k;
    out[16] = T((long long)1 << 14), out[17] = T((unsigned short)3), out[18] = T(-5L);
    out[19] = T(true);
    const T nan = T(0.f) / T(0.f);
    out[20] = (nan == nan) + 2 * (nan != nan) + 4 * (nan < a) + 8 * (nan >= a);

    T2 v(a, 2.f), w = {1.f, b};
    v += w, v *= w, v -= T2(1.f, 1.f), v /= T2(2.f, 1.f), ++v, v--;
    v = (v + w) * w - -w;
    out[21] = v.x, out[22] = v.y, out[23] = (v > w) + 2 * (v == w) + 4 * (w <= v) + 8 * (v != w);
}

template <class T, class T2>
void test() {
    float* out = device_array<float>(24);
    all<T, T2><<<1, 1>>>(out);
    EXPECT_DONE();
    const float expected[] = {5, 4,  2,     0.5f, 3,     3, -0.5f, 0.5f, 35, 1,     0,  7,
                              0, -2, 32767, 65,   16384, 3, -5,    1,    2,  2.25f, 20, 13};
    for (int k = 0; k < 24; k++) {
        EXPECT(out[k] == expected[k]);
    }
    T h = 1.5f;  // on the host
    h = h * h + T(1);
    EXPECT(float(h) == 3.25f && T(2.f) > T(1.f));
}

}  // namespace operators
#endif

int main() {
    types::test();
    pairs::test();
    threads::test<half, half2>([](half h) { return __half2float(h); }, [](float x) { return __float2half(x); });
    threads::test<nv_bfloat16, nv_bfloat162>([](nv_bfloat16 h) { return __bfloat162float(h); },
                                             [](float x) { return __float2bfloat16(x); });
#ifndef __CUDA_NO_HALF_OPERATORS__
    operators::test<half, half2>();
    operators::test<nv_bfloat16, nv_bfloat162>();
#endif
    return report();
}
