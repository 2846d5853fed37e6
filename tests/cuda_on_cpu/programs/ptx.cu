// Inline PTX.
#include "expect.h"
#include "in_a_header.h"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace special_registers {

__global__ void read(unsigned* wrong) {
    unsigned x, y, z, lane, warp, eq, lt, le, gt, ge;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
    asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(y));
    asm volatile("mov.u32 %0, %%nctaid.z;" : "=r"(z));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.b32 %0, %%lanemask_eq;" : "=r"(eq));
    asm volatile("mov.b32 %0, %%lanemask_lt;" : "=r"(lt));
    asm volatile("mov.b32 %0, %%lanemask_le;" : "=r"(le));
    asm volatile("mov.b32 %0, %%lanemask_gt;" : "=r"(gt));
    asm volatile("mov.b32 %0, %%lanemask_ge;" : "=r"(ge));
    unsigned threads, sm, sms, start, end;
    asm("{\n .reg .u32 %%a, %%b; // their product\n mov.u32 %%a, %%ntid.x;\n mov.u32 %%b, %%ntid.y;\n"
        " mul.lo.u32 %0, %%a, %%b; /* here */ }"
        : "=r"(threads));
    unsigned long long clocks, later, time;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(later));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end));
    bool ok = x == threadIdx.x && y == blockIdx.y && z == gridDim.z && lane == x % 32 && threads == blockDim.x;
    ok = ok && eq == 1u << lane && lt == eq - 1 && le == (lt | eq) && gt == ~le && ge == ~lt && warp < 64;
    ok = ok && sm < sms && clocks <= later && time > 0 && end - start < 1u << 31;
    if (!ok) atomicAdd(wrong, 1);
}

void test() {
    unsigned* wrong = device_array<unsigned>(1);
    read<<<dim3(2, 3, 4), 50>>>(wrong);
    EXPECT_DONE();
    EXPECT(*wrong == 0);
}

}  // namespace special_registers

// Loads, stores, addresses of 32 bits, asynchronous copies.
namespace memory {

__device__ unsigned to_shared(const void* p) {
    unsigned address;
    asm("{ .reg .u64 wide;\n cvta.to.shared.u64 wide, %1;\n cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(p));
    return address;
}

__global__ void moves(float* out, const float* in, unsigned char* bytes) {
    __shared__ __align__(128) float s[64];
    const unsigned t = threadIdx.x, base = to_shared(s);
    if (base != static_cast<unsigned>(__cvta_generic_to_shared(s))) out[0] = 1e30f;
    if (__cvta_shared_to_generic(base + 4 * t) != &s[t]) out[0] = 1e30f;
    float a, b, c, d;
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4 + 16];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(in + 4 * (t / 8)));
    asm volatile("st.shared.f32 [%0], %1;" ::"r"((base + 4 * t) ^ 32), "f"(a + b + c + d) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("{ .reg .f32 x; ld.shared.f32 x, [%1+4]; add.rn.f32 %0, x, 0f3F800000; }"
                 : "=f"(a)
                 : "r"(base + 4 * (t ^ 8) - 4));
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(&out[t]), "f"(a));
    unsigned first;
    int second;
    asm volatile("ld.global.u8 %0, [%2]; ld.s8 %1, [%2 + 1];" : "=r"(first), "=r"(second) : "l"(bytes));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
    if (t == 0) asm volatile("st.u16 [%0 + 2], %1;" ::"l"(bytes), "h"(static_cast<short>(first + second)));
}

// Tiles of 32 numbers, two ahead. The first four of each tile come without the last of them, and every second tile
// without its last four.
template <int STAGES>
__global__ void copies(float* out, const float* in, int tiles) {
    __shared__ __align__(16) float s[STAGES][32];
    const int t = threadIdx.x;
    const auto start = [&](int tile) {
        if (tile < tiles && t < 8) {
            const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[tile % STAGES][4 * t]));
            const float* from = in + 32 * tile + 4 * t;
            if (t == 0)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from), "r"(12));
            else if (t == 1)
                asm volatile(
                    "cp.async.ca.shared.global [%0], [%1], 8; cp.async.ca.shared.global [%0 + 8], [%1 + 8], %2;" ::"r"(
                        to),
                    "l"(from), "n"(STAGES == 3 ? 8 : 4));
            else if (t < 7)
                asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(16));
            else  // zeros, where it is told to ignore what it copies
                asm volatile(
                    "{ .reg .pred ignore; setp.ne.s32 ignore, %2, 0;"
                    " cp.async.cg.shared.global [%0], [%1], 16, ignore; }" ::"r"(to),
                    "l"(from), "r"(tile % 2));
        }
        asm volatile("cp.async.commit_group;\n" ::);
    };
    for (int i = 0; i < STAGES - 1; i++) start(i);
    for (int i = 0; i < tiles; i++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        out[32 * i + t] = s[i % STAGES][t];
        start(i + STAGES - 1);
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// Hints for the caches, which change no result.
__global__ void hints(float* out, const float* in) {
    __shared__ __align__(16) float s[128];
    unsigned long long keep, drop;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(drop));
    const unsigned t = threadIdx.x;
    float a, b, c, d;
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(in + 4 * t), "l"(keep));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to_shared(&s[4 * t])),
                 "l"(in + 4 * t), "l"(drop)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(&out[t]), "f"(a + b + c + d), "l"(keep));
    out[32 + t] = s[4 * t] + s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3];
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in));
}

__global__ void atomics(int* sums, unsigned* u, float* f, unsigned long long* l) {
    int before;
    asm volatile("atom.global.add.s32 %0, [%1], %2;" : "=r"(before) : "l"(sums), "r"(2));
    asm volatile("red.global.max.s32 [%0 + 4], %1;" ::"l"(sums), "r"(before) : "memory");
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(u) : "memory");
    asm volatile("red.add.f32 [%0], %1;" ::"l"(f), "f"(0.5f));
    unsigned long long old;
    asm volatile("atom.add.u64 %0, [%1], 4294967296;" : "=l"(old) : "l"(l));
    if (old % 4294967296) *f = 1e30f;
    asm volatile("atom.global.cas.b32 %0, [%1], 7, 9;" : "=r"(before) : "l"(u + 1));
    asm volatile("membar.gl; fence.acq_rel.gpu;" ::: "memory");
}

void test() {
    float *in = device_array<float>(256), *out = device_array<float>(256);
    unsigned char* bytes = device_array<unsigned char>(4);
    for (int i = 0; i < 256; i++) in[i] = float(i * i % 97);
    bytes[0] = 200, bytes[1] = 253;
    moves<<<1, 32>>>(out, in, bytes);
    EXPECT_DONE();
    for (int t = 0; t < 32; t++) {
        const float* from = in + 4 * (t / 8) + 4;
        EXPECT(out[t] == from[0] + from[1] + from[2] + from[3] + 1);
    }
    EXPECT(bytes[2] == 197 && bytes[3] == 0);

    for (int stages = 2; stages <= 3; stages++) {
        if (stages == 2)
            copies<2><<<1, 32>>>(out, in, 7);
        else
            copies<3><<<1, 32>>>(out, in, 7);
        EXPECT_DONE();
        for (int i = 0; i < 7 * 32; i++)
            if (stages == 3 || i % 32 != 7) EXPECT(out[i] == (i % 32 == 3 || (i % 32 >= 28 && i / 32 % 2) ? 0 : in[i]));
    }

    hints<<<1, 32>>>(out, in);
    EXPECT_DONE();
    for (int t = 0; t < 32; t++) {
        const float* from = in + 4 * t;
        EXPECT(out[t] == from[0] + from[1] + from[2] + from[3] && out[32 + t] == out[t]);
    }

    int* sums = device_array<int>(2);
    unsigned* u = device_array<unsigned>(2);
    float* f = device_array<float>(1);
    auto* l = device_array<unsigned long long>(1);
    u[1] = 7;
    atomics<<<2, 50>>>(sums, u, f, l);
    EXPECT_DONE();
    EXPECT(sums[0] == 200 && sums[1] == 198 && u[0] == 100 && u[1] == 9 && *f == 50 && *l == 100ull << 32);

    test_reverse<int>();
    test_reverse<double>();
}

}  // namespace memory

namespace arithmetic {

__global__ void integers(unsigned* r) {
    const int m = -7;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r[0]) : "r"(0xf0f0f0f0u), "r"(0xccccccccu), "r"(0xaaaaaaaau));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(0x33221180u), "r"(0x77665544u), "r"(0x8042u));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(0x12345678u), "r"(8), "r"(12));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(0x12345f78), "r"(8), "r"(4));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r[4]) : "r"(0xabcu), "r"(0x11111111u), "r"(8), "r"(12));
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r[5]) : "r"(0x01ff02fe), "r"(0x02030405), "r"(100));
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r[6]) : "r"(0x01ff02fe), "r"(0x02030405), "r"(100));
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r[7]) : "r"(m), "r"(6), "r"(2));
    asm("mul.hi.s32 %0, %1, %2;" : "=r"(r[8]) : "r"(m), "r"(1 << 30));
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(r[9]) : "r"(m), "r"(1 << 30));
    unsigned long long wide, packed;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(m), "r"(3));
    asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(5), "r"(6));
    asm("{ .reg .b32 low; mov.b64 {low, %0}, %1; }" : "=r"(r[10]) : "l"(packed));
    r[11] = packed == (6ull << 32 | 5) && wide == 3ull * unsigned(m);
    asm("add.sat.s32 %0, %1, %2;" : "=r"(r[12]) : "r"(2000000000), "r"(2000000000));
    asm("shr.s32 %0, %1, %2;" : "=r"(r[13]) : "r"(m), "r"(40));
    asm("shr.u32 %0, %1, %2;" : "=r"(r[14]) : "r"(m), "r"(40));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r[15]) : "r"(0x80000000u), "r"(1), "r"(33));
    asm("popc.b32 %0, %1;" : "=r"(r[16]) : "r"(m));
    asm("clz.b32 %0, %1;" : "=r"(r[17]) : "r"(0x00ffu));
    asm("brev.b32 %0, %1;" : "=r"(r[18]) : "r"(1));
    asm("bfind.u32 %0, %1;" : "=r"(r[19]) : "r"(0x00f0u));
    asm("bfind.s32 %0, %1;" : "=r"(r[20]) : "r"(m));
    asm("rem.s32 %0, %1, %2;" : "=r"(r[21]) : "r"(m), "r"(4));
    asm("div.u32 %0, %1, %2;" : "=r"(r[22]) : "r"(m), "r"(4));
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r[23]) : "r"(m), "r"(4), "r"(100));
    asm("{ .reg .pred p, q; setp.lt.s32 p, %1, 0; setp.lo.u32 q, %1, 5; or.pred p, p, q; selp.b32 %0, 1, 2, p; }"
        : "=r"(r[24])
        : "r"(m));
    int steps = 0, n = 27;
    asm("{ .reg .pred p;\n .reg .b32 odd, t<2>;\n"  // Collatz
        "LOOP:\n setp.eq.s32 p, %1, 1;\n @p bra DONE;\n"
        " and.b32 odd, %1, 1; setp.ne.b32 p, odd, 0; shr.u32 t0, %1, 1; mad.lo.s32 t1, %1, 3, 1;\n"
        " selp.b32 %1, t1, t0, p; add.s32 %0, %0, 1; bra.uni LOOP;\n"
        "DONE: }"
        : "+r"(steps), "+r"(n));
    r[25] = steps;
    asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r[26]) : "r"(1 << 30), "r"(1 << 30), "r"(0x7ffffff0));
}

__global__ void floats(float* r, double* d) {
    const float third = 1.0f / 3;
    asm("add.rz.f32 %0, %2, %3; add.rp.f32 %1, %2, %3;" : "=&f"(r[0]), "=f"(r[3]) : "f"(1.0f), "f"(1e-10f));
    asm("mul.rm.f32 %0, %1, %2;" : "=f"(r[1]) : "f"(third), "f"(third));
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r[2]) : "f"(third), "f"(third), "f"(-third * third));
    asm("mul.ftz.f32 %0, %1, %2;" : "=f"(r[4]) : "f"(1e-30f), "f"(1e-10f));
    asm("add.sat.f32 %0, %1, %2;" : "=f"(r[5]) : "f"(0.75f), "f"(0.5f));
    asm("max.f32 %0, %1, %2;" : "=f"(r[6]) : "f"(NAN), "f"(2.0f));
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r[7]) : "f"(NAN), "f"(2.0f));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r[8]) : "f"(-3.0f));
    asm("rcp.approx.f32 %0, %1;" : "=f"(r[9]) : "f"(8.0f));
    asm("tanh.approx.f32 %0, %1;" : "=f"(r[10]) : "f"(0.5f));
    asm("lg2.approx.f32 %0, %1;" : "=f"(r[11]) : "f"(8.0f));
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(r[12]) : "f"(16.0f));
    asm("neg.f32 %0, %1;" : "=f"(r[13]) : "f"(0.0f));
    asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(d[0]) : "d"(1.0 / 3), "d"(3.0), "d"(-1.0));
    asm("cvt.rzi.f32.f32 %0, %1;" : "=f"(r[14]) : "f"(-2.75f));
}

__global__ void conversions(unsigned* r, float* f) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r[0]) : "f"(1.0f), "f"(-2.0f));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r[1]) : "f"(1.0f), "f"(1.00048828125f));  // a tie
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[2]) : "f"(1.00048828125f));
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r[3]) : "f"(2.5f));
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r[4]) : "f"(-3e10f));
    asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r[5]) : "f"(-3.0f));
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(0.1f));
    r[6] = half;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f[0]) : "h"(half));
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f[1]) : "r"(-16777217));
    asm("cvt.rz.f32.u32 %0, %1;" : "=f"(f[2]) : "r"(0xffffffffu));
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r[7]) : "r"(300));
    asm("cvt.s32.s8 %0, %1;" : "=r"(r[8]) : "r"(0x1ff));
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(0x3c004000), "r"(0x42004200), "r"(0x3c003c00));
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r[10]) : "r"(0x3f804000), "r"(0x40404040), "r"(0x3f803f80));
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(r[11]) : "f"(-1.0f), "f"(2.0f));
    asm("cvt.rn.relu.tf32.f32 %0, %1;" : "=r"(r[12]) : "f"(-1.0f));
    asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(r[13]) : "r"(0x3c007e00), "r"(0x40000000));
    asm("max.bf16x2 %0, %1, %2;" : "=r"(r[14]) : "r"(0x3f808000), "r"(0x7fc00000));
    asm("add.sat.f16x2 %0, %1, %2;" : "=r"(r[15]) : "r"(0x3c003400), "r"(0x40003400));
    asm("neg.f16x2 %0, %1;" : "=r"(r[16]) : "r"(0x3c00c000));
}

bool near(float a, float b) { return std::fabs(a - b) <= 1e-3f * std::fabs(b); }

void test() {
    unsigned* r = device_array<unsigned>(32);
    float* f = device_array<float>(32);
    double* d = device_array<double>(1);
    integers<<<1, 1>>>(r);
    EXPECT_DONE();
    const unsigned expected[] = {0xe8e8e8e8,
                                 0xff804422,
                                 0x456,
                                 0xffffffff,
                                 0x111abc11,
                                 97,
                                 2145,
                                 unsigned(-40),
                                 unsigned(-2),
                                 0x3ffffffe,
                                 6,
                                 1,
                                 0x7fffffff,
                                 ~0u,
                                 0,
                                 3,
                                 30,
                                 24,
                                 0x80000000,
                                 7,
                                 2,
                                 unsigned(-3),
                                 0x3ffffffe,
                                 111,
                                 1,
                                 111,
                                 0x7fffffff};
    for (int i = 1; i < 27; i++) {
        if (r[i] != expected[i]) std::printf("%d: %x %x\n", i, r[i], expected[i]);
        EXPECT(r[i] == expected[i]);
    }
    EXPECT(r[0] == ((0xf0f0f0f0 & 0xcccccccc) | (0xf0f0f0f0 & 0xaaaaaaaa) | (0xcccccccc & 0xaaaaaaaa)));

    floats<<<1, 1>>>(f, d);
    EXPECT_DONE();
    const float third = 1.0f / 3;
    EXPECT(f[0] == 1 && f[3] == 1 + 0x1p-23f && double(f[1]) <= double(third) * third);
    EXPECT(f[1] >= float(double(third) * third) - 0x1p-27f && f[2] == float(double(third) * third - third * third));
    EXPECT(f[4] == 0 && f[5] == 1 && f[6] == 2 && f[7] != f[7] && near(f[8], 0.125f) && near(f[9], 0.125f));
    EXPECT(near(f[10], std::tanh(0.5f)) && near(f[11], 3) && near(f[12], 0.25f) && f[13] == 0 && std::signbit(f[13]));
    EXPECT(d[0] == std::fma(1.0 / 3, 3.0, -1.0) && f[14] == -2);

    conversions<<<1, 1>>>(r, f);
    EXPECT_DONE();
    const unsigned converted[] = {0x3f80c000, 0x3c003c00, 0x3f802000, 2, 0x80000000, 0, 0x2e66, 255, ~0u, 0x44004700};
    for (int i = 0; i < 10; i++) {
        if (r[i] != converted[i]) std::printf("%d: %x %x\n", i, r[i], converted[i]);
        EXPECT(r[i] == converted[i]);
    }
    EXPECT(r[10] == 0x408040e0 && r[11] == 0x00004000 && r[12] == 0);
    EXPECT(r[13] == 0x3c007fff && r[14] == 0x3f800000 && r[15] == 0x3c003800 && r[16] == 0xbc004000);
    EXPECT(f[0] == 0x1.998p-4f && f[1] == -16777216 && f[2] == 0x1.fffffep31f);
}

}  // namespace arithmetic

namespace warp {

__global__ void functions(unsigned* out) {
    const unsigned lane = threadIdx.x, all = ~0u;
    unsigned r[12] = {}, in = 0;
    // The sum of all lanes up to this one, as CUDA's manual on inline PTX shows it.
    float sum = float(lane + 1);
    for (int d = 1; d < 32; d *= 2)
        asm volatile("{ .reg .f32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %0, %1, 0, %2; @p add.f32 %0, %0, r0; }"
                     : "+f"(sum)
                     : "r"(d), "r"(all));
    r[0] = unsigned(sum) == (lane + 1) * (lane + 2) / 2;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 3, 0x1f, %2;" : "=r"(r[1]) : "r"(lane), "r"(all));
    asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 5, 0x1807, %3; selp.u32 %1, 1, 0, p; }"  // groups of 8
                 : "=r"(r[2]), "=r"(in)
                 : "r"(lane), "r"(all));
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1c1f, %3;" : "=r"(r[3]) : "r"(lane), "r"(lane + 2), "r"(all));  // 4
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 10; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(r[4])
                 : "r"(lane), "r"(all));
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 32; vote.sync.all.pred q, p, %2; selp.u32 %0, 1, 0, q; }"
                 : "=r"(r[5])
                 : "r"(lane), "r"(all));
    asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(r[6]) : "r"(-int(lane)), "r"(all));
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r[7]) : "r"(lane % 4), "r"(all));
    asm volatile("bar.warp.sync %0;" ::"r"(all) : "memory");
    asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }" : "=r"(r[8]), "=r"(r[9]) : "r"(all));
    bool ok = r[0] && r[1] == (lane ^ 3) && r[2] == (lane % 8 < 3 ? lane + 5 : lane) && in == (lane % 8 < 3);
    ok = ok && r[3] == lane / 4 * 4 + (lane + 2) % 4 && r[4] == 1023 && r[5] == 1 && int(r[6]) == -496;
    ok = ok && r[7] == 0x11111111u << lane % 4 && __reduce_add_sync(all, r[9]) == 1 && (r[8] == lane) == (r[9] == 1);
    out[lane] = ok;
}

void test() {
    unsigned* out = device_array<unsigned>(32);
    functions<<<1, 32>>>(out);
    EXPECT_DONE();
    for (int i = 0; i < 32; i++) EXPECT(out[i] == 1);
}

}  // namespace warp

namespace barriers {

// Two warps fill a buffer, the other two read it: bar.arrive says "full" (1) and "empty" (2).
__global__ void numbered(int* out, int rounds) {
    __shared__ int buffer[64];
    const int t = threadIdx.x % 64;
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x < 64) {
            asm volatile("bar.sync 2, 128;" ::: "memory");
            buffer[t] = i * 100 + t;
            asm volatile("bar.arrive %0, %1;" ::"r"(1), "r"(128) : "memory");
        } else {
            asm volatile("bar.arrive 2, 128;" ::: "memory");
            asm volatile("bar.sync 1, %0;" ::"n"(128) : "memory");
            out[64 * i + t] = buffer[63 - t];
        }
    }
}

// Each half of the block votes at a barrier of its own.
__global__ void votes(int* out) {
    const int half = threadIdx.x / 64, t = threadIdx.x % 64;
    int many, all, one;
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %1; barrier.red.popc.u32 %0, %3, 64, p; }"
                 : "=r"(many)
                 : "r"(10 + half), "r"(t), "r"(3 + half)
                 : "memory");
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %1; barrier.cta.red.and.pred p, %3, 64, p; selp.s32 %0, 1, 0, p; }"
                 : "=r"(all)
                 : "r"(63 + half), "r"(t), "r"(3 + half)
                 : "memory");
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %1; bar.red.or.pred p, %3, 64, p; selp.s32 %0, 1, 0, p; }"
                 : "=r"(one)
                 : "r"(half), "r"(t), "r"(3 + half)
                 : "memory");
    out[threadIdx.x] = many * 100 + all * 10 + one;
}

// A block waits for the one before it by looking again and again.
__global__ void flags(unsigned* flag, int* out) {
    if (threadIdx.x > 0) return;
    unsigned seen, part;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag + blockIdx.x) : "memory");
    } while (seen == 0);
    do {
        asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];" : "=r"(part), "=r"(seen) : "l"(flag + 8) : "memory");
    } while (seen != blockIdx.x);
    out[blockIdx.x] = int(part);
    asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(flag + 8), "r"(part * 2), "r"(seen + 1) : "memory");
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag + (blockIdx.x + 1) % 4) : "memory");
}

// As pipelines use them: a barrier that copies belong to, and a wait for the end of its phases.
__global__ void phases(int* out, const int* in, int rounds) {
    __shared__ __align__(8) unsigned long long barrier;
    __shared__ int s[32];
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[threadIdx.x]));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(64));
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(&in[32 * i + threadIdx.x]) : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
        unsigned long long state;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
        if (i % 2)
            asm volatile(
                "{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                "@p bra DONE;\nbra WAIT;\nDONE:\n}" ::"r"(address),
                "r"(i % 2)
                : "memory");
        else
            for (unsigned over = 0; !over;)
                asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                             : "=r"(over)
                             : "r"(address), "l"(state)
                             : "memory");
        out[32 * i + threadIdx.x] = s[31 - threadIdx.x];
        __syncthreads();
    }
}

void test() {
    int *out = device_array<int>(512), *in = device_array<int>(160);
    numbered<<<1, 128>>>(out, 8);
    EXPECT_DONE();
    for (int i = 0; i < 512; i++) EXPECT(out[i] == i / 64 * 100 + 63 - i % 64);
    votes<<<1, 128>>>(out);
    EXPECT_DONE();
    for (int i = 0; i < 128; i++) EXPECT(out[i] == (i < 64 ? 1000 : 1111));
    auto* flag = device_array<unsigned>(10);
    flag[0] = 1;
    flag[8] = 5;
    flags<<<4, 32>>>(flag, out);
    EXPECT_DONE();
    for (int i = 0; i < 4; i++) EXPECT(out[i] == 5 << i);
    for (int i = 0; i < 160; i++) in[i] = i * i;
    phases<<<1, 32>>>(out, in, 5);
    EXPECT_DONE();
    for (int i = 0; i < 160; i++) EXPECT(out[i] == in[i / 32 * 32 + 31 - i % 32]);
}

}  // namespace barriers

// Arguments convert to a kernel's parameters, as in any call.
namespace arguments {

struct Point {
    int x, y;
};
__global__ void null(const int* pointer, Point p, int* out) { *out = pointer == nullptr ? p.x * 10 + p.y : -1; }

void test() {
    int* out = device_array<int>(1);
    null<<<1, 1>>>(NULL, {4, 2}, out);
    EXPECT_DONE();
    EXPECT(*out == 42);
}

}  // namespace arguments

int main() {
    special_registers::test();
    memory::test();
    arithmetic::test();
    warp::test();
    barriers::test();
    arguments::test();
    return report();
}
