// Vector types, atomics, mathematics, conversions.
#include "expect.h"
#include <climits>
#include <cmath>
#include <cstdint>

static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && sizeof(float4) == 16 && alignof(float4) == 16, "");
static_assert(alignof(float2) == 8 && alignof(double2) == 16 && sizeof(double3) == 24 && alignof(double3) == 8, "");
static_assert(alignof(char2) == 2 && alignof(uchar4) == 4 && alignof(char3) == 1 && sizeof(uchar3) == 3, "");
static_assert(alignof(short2) == 4 && alignof(ushort4) == 8 && alignof(longlong2) == 16 && alignof(long1) == 8, "");
static_assert(alignof(int4) == 16 && alignof(uint2) == 8 && alignof(ulonglong1) == 8 && sizeof(ulong2) == 16, "");

struct __align__(16) Pair {
    float a, b;
};
static_assert(alignof(Pair) == 16, "");

__global__ void add4(float4* c, const float4* a, const float4* b) {
    const float4 x = a[threadIdx.x], y = __ldg(&b[threadIdx.x]);
    c[threadIdx.x] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    __shared__ __align__(16) unsigned char bytes[64];
    __shared__ alignas(32) int aligned[3];
    if (reinterpret_cast<uintptr_t>(bytes) % 16 || reinterpret_cast<uintptr_t>(aligned) % 32) c[0].x = -1;
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* ull, float* f, double* d) {
    const int t = threadIdx.x;
    atomicAdd(&i[0], t), atomicSub(&i[1], t), atomicMin(&i[2], -t), atomicMax(&i[3], t);
    atomicAnd(&i[4], ~(1 << t % 16)), atomicOr(&i[5], 1 << t % 16), atomicXor(&i[6], 1 << t % 5);
    if (atomicCAS(&i[7], 0, t + 1) == 0) atomicAdd(&i[8], 1);  // one thread wins
    if (atomicExch(&i[9], 1) == 0) atomicAdd_block(&i[10], 1);
    atomicAdd(&u[0], 1u), atomicSub(&u[1], 2u), atomicMin(&u[2], unsigned(t)), atomicMax(&u[3], unsigned(t));
    atomicInc(&u[4], 9u), atomicDec(&u[5], 9u);
    atomicAdd(&ull[0], 1ull << 33), atomicMax(&ull[1], (unsigned long long)t << 40);
    atomicAdd(f, 0.5f), atomicAdd_system(d, 0.25);
}

__global__ void mathematics(float* f, double* d, float x) {
    int n = 0;
    const double y = x;
    f[n++] = rsqrtf(x) - 1 / std::sqrt(x), f[n++] = __expf(x) / expf(x) - 1, f[n++] = __logf(x) - logf(x);
    f[n++] = __fdividef(x, 3) - x / 3, f[n++] = __powf(x, 3) / (x * x * x) - 1, f[n++] = __saturatef(-x);
    f[n++] = __saturatef(x / 10) - x / 10, f[n++] = 1 - __saturatef(x), f[n++] = fminf(x, 1) - 1;
    f[n++] = max(x, 1.f) - x, f[n++] = fabsf(__frcp_rn(x) - 1 / x), f[n++] = abs(-x) - x;
    float s, c;
    sincosf(x, &s, &c);
    f[n++] = s - sinf(x), f[n++] = c - cosf(x), f[n++] = sinpif(0.5f) - 1, f[n++] = cospif(1) + 1,
    f[n++] = rcbrtf(8) - 0.5f;
    __sincosf(x, &s, &c);
    f[n++] = s - __sinf(x), f[n++] = c - __cosf(x), f[n++] = isnan(nanf("")) ? 0 : 1, f[n++] = fmaxf(nanf(""), 2) - 2;
    f[n++] = __fmul_rn(x, x) - x * x, f[n++] = fmaf(x, x, -x * x), f[n++] = tanhf(0), f[n++] = erff(0), f[n++] = 99;
    d[0] = rsqrt(y) - 1 / sqrt(y), d[1] = max(y, 1.f) - y, d[2] = min(1.f, y) - 1, d[3] = fma(y, y, -y * y), d[4] = 99;
}

__global__ void integers(long long* r) {
    int n = 0;
    r[n++] = min(3, 5u), r[n++] = max(-1, 5u), r[n++] = min(-1, 5), r[n++] = max(1ll, 2ll), r[n++] = min(7ul, 8ul);
    r[n++] = __popc(0xff0), r[n++] = __popcll(~0ull), r[n++] = __clz(1), r[n++] = __clz(0), r[n++] = __clzll(1);
    r[n++] = __ffs(8), r[n++] = __ffs(0), r[n++] = __ffsll(1ll << 40), r[n++] = __brev(1),
    r[n++] = __brevll(2) == 1ull << 62;
    r[n++] = __mul24(-3, 5), r[n++] = __umul24(0x1000002, 3), r[n++] = __umulhi(~0u, ~0u), r[n++] = __mulhi(-1, 1);
    r[n++] = __mul64hi(-1, 1), r[n++] = __umul64hi(~0ull, 2), r[n++] = __byte_perm(0x03020100, 0x07060504, 0x7531);
    r[n++] = __funnelshift_l(0x80000000, 1, 1), r[n++] = __usad(3, 5, 10), r[n++] = __hadd(3, 6);
    r[n++] = __float2int_rn(2.5f), r[n++] = __float2int_rn(3.5f), r[n++] = __float2int_rz(-2.7f),
    r[n++] = __float2int_ru(2.1f);
    r[n++] = __float2int_rd(-2.1f), r[n++] = __float2int_rn(1e20f), r[n++] = __float2int_rn(-1e20f);
    r[n++] = __float2uint_rn(-5), r[n++] = __float2uint_rn(1e20f), r[n++] = __float2int_rn(nanf(""));
    r[n++] = __float2ll_rn(1e30f) == LLONG_MAX, r[n++] = __float2ull_rz(3e19f) == ULLONG_MAX,
    r[n++] = __double2int_rn(-1e10);
    r[n++] = __float_as_int(1.f), r[n++] = __float_as_uint(-2.f), r[n++] = (long long)__int_as_float(0x40400000);
    r[n++] = __double_as_longlong(1.0) == 0x3ff0000000000000, r[n++] = (long long)__uint2float_rn(7);
}

int main() {
    float4 *a = device_array<float4>(3), *b = device_array<float4>(3), *c = device_array<float4>(3);
    for (int i = 0; i < 3; i++) a[i] = make_float4(i, 1, 2, 3), b[i] = {10, 20, 30, 40};
    add4<<<1, 3>>>(c, a, b);
    EXPECT_DONE();
    EXPECT(c[0].x == 10 && c[2].x == 12 && c[1].y == 21 && c[1].z == 32 && c[2].w == 43);

    int* i = device_array<int>(11);
    unsigned* u = device_array<unsigned>(6);
    auto* ull = device_array<unsigned long long>(2);
    float* f = device_array<float>(32);
    double* d = device_array<double>(8);
    i[4] = -1, u[2] = 50;
    atomics<<<1, 100>>>(i, u, ull, f, d);
    EXPECT_DONE();
    EXPECT(i[0] == 4950 && i[1] == -4950 && i[2] == -99 && i[3] == 99 && i[4] == ~0xffff && i[5] == 0xffff);
    EXPECT(i[6] == 0 && i[7] >= 1 && i[7] <= 100 && i[8] == 1 && i[9] == 1 && i[10] == 1);
    EXPECT(u[0] == 100 && u[1] == -200u && u[2] == 0 && u[3] == 99 && u[4] == 0 && u[5] == 0);
    EXPECT(ull[0] == 100ull << 33 && ull[1] == 99ull << 40 && f[0] == 50 && *d == 25);

    mathematics<<<1, 1>>>(f, d, 2.3f);
    EXPECT_DONE();
    for (int k = 0; f[k] != 99; k++)
        if (!(std::fabs(f[k]) < 1e-5f)) std::printf("f[%d] = %g\n", k, f[k]), failures++;
    for (int k = 0; d[k] != 99; k++)
        if (!(std::fabs(d[k]) < 1e-12)) std::printf("d[%d] = %g\n", k, d[k]), failures++;

    const long long expected[] = {
        3, 4294967295, -1, 2,  7, 8,          64,         31,         32, 63, 4, 0,  41, 0x80000000, 1,       -15,
        6, 0xfffffffe, -1, -1, 1, 0x07050301, 3,          12,         4,  2,  4, -2, 3,  -3,         INT_MAX, INT_MIN,
        0, UINT_MAX,   0,  1,  1, INT_MIN,    0x3f800000, 0xc0000000, 3,  1,  7};
    auto* r = device_array<long long>(64);
    integers<<<1, 1>>>(r);
    EXPECT_DONE();
    for (unsigned k = 0; k < sizeof expected / sizeof *expected; k++)
        if (r[k] != expected[k])
            std::printf("integers: result %u is %lld, not %lld\n", k, r[k], expected[k]), failures++;
    return report();
}
