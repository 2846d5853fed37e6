// wgmma: types, matrices in registers, layouts, widths. Elements are small integers, so that all sums are exact.
#include "hopper_wgmma.h"
#include <cuda_fp16.h>
#include <cstring>
#include <type_traits>
#include <vector>

// The bits of -4 to 4.
struct Bf16 {
    static constexpr int bytes = 2, k = 16;
    static uint32_t bits(int i) {
        const float x = float(i);
        uint32_t u;
        std::memcpy(&u, &x, 4);
        return u >> 16;
    }
};
struct F16 {
    static constexpr int bytes = 2, k = 16;
    static uint32_t bits(int i) {  // as those of bfloat16, with a smaller bias and three bits more
        const uint32_t u = Bf16::bits(i);
        return (u & 0x8000) | (i ? ((u & 0x7fff) << 3) - (112 << 10) : 0);
    }
};
struct F16Sums : F16 {};
struct Tf32 {
    static constexpr int bytes = 4, k = 8;
    static uint32_t bits(int i) { return Bf16::bits(i) << 16 | 0x1fff; }  // the last 13 bits do not count
};
template <int MANTISSA, int BIAS>
struct Fp8 {
    static constexpr int bytes = 1, k = 32;
    static uint32_t bits(int i) {
        const int m = i < 0 ? -i : i, e = m > 3 ? 2 : m > 1;
        return m ? uint32_t((i < 0) << 7 | (e + BIAS) << MANTISSA | (m - (1 << e)) << MANTISSA >> e) : 0;
    }
};
using E4m3 = Fp8<3, 7>;
using E5m2 = Fp8<2, 15>;
struct S8 {
    static constexpr int bytes = 1, k = 32;
    static uint32_t bits(int i) { return uint32_t(i) & 0xff; }
};

// 64 x 64 by 64 x 4 k, both K-major with the swizzle of 128 bytes, in four steps; a in shared memory or in registers.
namespace types {

template <class T>
struct Sum {
    using type = std::conditional_t<std::is_same<T, F16Sums>::value, uint32_t,
                                    std::conditional_t<std::is_same<T, S8>::value, int, float>>;
    static constexpr int count = std::is_same<T, F16Sums>::value ? 16 : 32;
};
template <class T, bool REGISTERS, class D, int COUNT, class A>
__device__ void multiply(D (&d)[COUNT], const A& a, uint64_t b, int add) {
#define TYPE(T_, TEXT, NAMES, A0, A1, A2, A3, B, ADD, FLAGS, FLAGS_OF_REGISTERS, ...)                           \
    if constexpr (std::is_same<T, T_>::value && !REGISTERS) WGMMA(TEXT, NAMES, A0, A1, A2, FLAGS, __VA_ARGS__); \
    if constexpr (std::is_same<T, T_>::value && REGISTERS)                                                      \
        WGMMA_REGISTERS(TEXT, NAMES, A0, A1, A2, A3, B, ADD, FLAGS_OF_REGISTERS, __VA_ARGS__);
#define TYPE_32(T_, TEXT, c, FLAGS, FLAGS_OF_REGISTERS) \
    TYPE(T_, TEXT, NAMES_32, 32, 33, 34, 35, 36, 37, FLAGS, FLAGS_OF_REGISTERS, SUMS_32(c))
    TYPE_32(Bf16, "m64n64k16.f32.bf16.bf16", "f", ", 1, -1, 0, 0", ", -1, 1, 0")
    TYPE_32(F16, "m64n64k16.f32.f16.f16", "f", ", 1, 1, 0, 0", ", 1, 1, 0")
    TYPE(F16Sums, "m64n64k16.f16.f16.f16", NAMES_16, 16, 17, 18, 19, 20, 21, ", 1, 1, 0, 0", ", 1, 1, 0",
         SUMS_16("r", 0))
    TYPE_32(Tf32, "m64n64k8.f32.tf32.tf32", "f", ", 1, 1", ", 1, 1")
    TYPE_32(E4m3, "m64n64k32.f32.e4m3.e4m3", "f", ", 1, 1", ", 1, 1")
    TYPE_32(E5m2, "m64n64k32.f32.e5m2.e5m2", "f", ", 1, 1", ", 1, 1")
    TYPE_32(S8, "m64n64k32.s32.s8.s8", "r", "", "")
}

template <class T, bool REGISTERS>
__global__ void kernel(const unsigned char* a, const unsigned char* b, float* out) {
    __shared__ alignas(1024) unsigned char sa[64 * 128], sb[64 * 128];
    for (int i = threadIdx.x; i < 64 * 128; i += 128) {
        const int place = i ^ (i >> 7 & 7) << 4;
        sa[place] = a[i], sb[place] = b[i];
    }
    fence_async();
    __syncthreads();
    typename Sum<T>::type d[Sum<T>::count];
    wgmma_fence();
    for (int step = 0; step < 4; step++) {
        const uint64_t right = k_major(shared(sb) + step * 32);
        if constexpr (REGISTERS) {  // four bytes from row l / 4, then 8 rows below, then 16 bytes further right
            uint32_t fragment[4];
            for (int r = 0; r < 4; r++)
                memcpy(&fragment[r], a + row_of(r % 2 * 2) * 128 + step * 32 + threadIdx.x % 4 * 4 + r / 2 * 16, 4);
            multiply<T, true>(d, fragment, right, step > 0);
        } else {
            multiply<T, false>(d, k_major(shared(sa) + step * 32), right, step > 0);
        }
    }
    wgmma_commit();
    wgmma_wait<0>();
    for (int i = 0; i < 32; i++)
        if constexpr (std::is_same<T, F16Sums>::value)
            out[row_of(i) * 64 + column_of(i)] = __half2float(reinterpret_cast<__half*>(d)[i]);
        else
            out[row_of(i) * 64 + column_of(i)] = float(d[i]);
}

template <class T, bool REGISTERS>
void test(int sign = 1) {
    auto *a = device_array<unsigned char>(64 * 128), *b = device_array<unsigned char>(64 * 128);
    float* out = device_array<float>(64 * 64);
    constexpr int columns = 128 / T::bytes;
    std::vector<int> numbers_a(64 * columns), numbers_b(64 * columns);
    Random random;
    for (int i = 0; i < 64 * columns; i++) {
        numbers_a[i] = int(random.below(9)) - 4, numbers_b[i] = int(random.below(9)) - 4;
        const uint32_t bits_a = T::bits(numbers_a[i]), bits_b = T::bits(numbers_b[i]);
        std::memcpy(a + i * T::bytes, &bits_a, T::bytes), std::memcpy(b + i * T::bytes, &bits_b, T::bytes);
    }
    kernel<T, REGISTERS><<<1, 128>>>(a, b, out);
    EXPECT_DONE();
    int wrong = 0;
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) {
            int sum = 0;
            for (int k = 0; k < 4 * T::k; k++) sum += numbers_a[y * columns + k] * numbers_b[x * columns + k];
            wrong += out[y * 64 + x] != float(sign * sum);
        }
    EXPECT(wrong == 0);
}

template <class T>
void both(int sign = 1) {
    test<T, false>(sign), test<T, true>(sign);
}

}  // namespace types

// Every layout: both directions of both matrices, four modes, and offsets that leave gaps.
namespace layouts {

struct Layout {  // PTX ISA, "Strides": the two offsets of a descriptor
    int mode, leading, stride, base;
};
__host__ __device__ int place(const Layout& l, bool mn_major, int row, int k) {
    const int wide = l.mode == PLAIN ? 1 : 16 >> l.mode;  // 16-byte pieces side by side
    const int along = mn_major ? row : k, across = mn_major ? k : row, piece = along / 8;
    int at = across % 8 * wide * 16 + along % 8 * 2;
    if (wide > 1)
        at += piece % wide * 16 + piece / wide * l.leading + across / 8 * l.stride;
    else
        at += mn_major ? piece * l.stride + across / 8 * l.leading : piece * l.leading + across / 8 * l.stride;
    at += l.base;
    return wide > 1 ? at ^ (at >> 7 & (wide - 1)) << 4 : at;
}
Layout layout(Random& random, bool mn_major) {
    Layout l = {int(random.below(4)), 0, 0, int(random.below(3)) * 1024};
    const int atom = (l.mode == PLAIN ? 1 : 16 >> l.mode) * 128, gap = 1 + int(random.below(2));
    if (l.mode == PLAIN && !mn_major) l.leading = 128, l.stride = 256 * gap;
    if (l.mode == PLAIN && mn_major) l.stride = 128, l.leading = 1024 * gap;
    if (l.mode != PLAIN && !mn_major) l.leading = 16, l.stride = atom * gap;
    if (l.mode != PLAIN && mn_major) l.stride = atom, l.leading = 2 * atom * gap;
    return l;
}

constexpr int bytes = 24 * 1024;

template <int TRANS_A, int TRANS_B>
__global__ void kernel(const __nv_bfloat16* a, const __nv_bfloat16* b, Layout la, Layout lb, float* out) {
    extern __shared__ __align__(1024) char memory[];
    char *sa = memory, *sb = memory + bytes;
    for (int i = threadIdx.x; i < 64 * 16; i += 128) {
        memcpy(sa + place(la, TRANS_A, i / 16, i % 16), &a[i], 2);
        memcpy(sb + place(lb, TRANS_B, i / 16, i % 16), &b[i], 2);
    }
    fence_async();
    __syncthreads();
    float d[32];
    for (int i = 0; i < 32; i++) d[i] = float(i);
    wgmma_fence();
    wgmma<TRANS_A, TRANS_B>(d, descriptor(shared(sa) + la.base, la.leading, la.stride, la.mode),
                            descriptor(shared(sb) + lb.base, lb.leading, lb.stride, lb.mode));
    wgmma_commit();
    wgmma_wait<0>();
    for (int i = 0; i < 32; i++) out[row_of(i) * 64 + column_of(i)] = d[i] - float(i);
}

template <int TRANS_A, int TRANS_B>
void test() {
    auto *a = device_array<__nv_bfloat16>(64 * 16), *b = device_array<__nv_bfloat16>(64 * 16);
    float* out = device_array<float>(64 * 64);
    Random random;
    EXPECT(cudaFuncSetAttribute(kernel<TRANS_A, TRANS_B>, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * bytes) ==
           cudaSuccess);
    for (int i = 0; i < 64 * 16; i++)
        a[i] = __float2bfloat16(float(random.below(9)) - 4), b[i] = __float2bfloat16(float(random.below(9)) - 4);
    for (int round = 0; round < 12; round++) {
        const Layout la = layout(random, TRANS_A), lb = layout(random, TRANS_B);
        kernel<TRANS_A, TRANS_B><<<1, 128, 2 * bytes>>>(a, b, la, lb, out);
        EXPECT_DONE();
        int wrong = 0;
        for (int y = 0; y < 64; y++)
            for (int x = 0; x < 64; x++) {
                float sum = 0;
                for (int k = 0; k < 16; k++) sum += __bfloat162float(a[y * 16 + k]) * __bfloat162float(b[x * 16 + k]);
                wrong += out[y * 64 + x] != sum;
            }
        EXPECT(wrong == 0);
    }
}

}  // namespace layouts

// Two warpgroups, and products of two widths under way: a wait for all groups but the latest.
namespace groups {

__device__ void narrow(float (&d)[4], uint64_t a, uint64_t b, int add) {
    WGMMA("m64n8k16.f32.bf16.bf16", NAMES_4, 4, 5, 6, ", 1, 1, 0, 0", SUMS_4("f", 0));
}
__device__ void wide(float (&d)[64], uint64_t a, uint64_t b, int add) {
    WGMMA("m64n128k16.f32.bf16.bf16", NAMES_64, 64, 65, 66, ", 1, 1, 0, 0", SUMS_64("f"));
}

__global__ void kernel(float* out, bool whole) {
    __shared__ alignas(1024) __nv_bfloat16 a[64 * 64], b[128 * 64];
    for (int i = threadIdx.x; i < 64 * 64; i += 256) a[i] = __float2bfloat16(1);
    for (int i = threadIdx.x; i < 128 * 64; i += 256) b[i] = __float2bfloat16(float(i / 64));  // a row has one number
    fence_async();
    __syncthreads();
    float d[64], e[4] = {100, 100, 100, 100}, f[4];
    for (int i = 0; i < 4; i++) f[i] = __int_as_float(0x7fe00000 | i);  // what is replaced may be any NaN
    wgmma_fence();
    for (int k = 0; k < 4; k++) wide(d, k_major(shared(a) + k * 32), k_major(shared(b) + k * 32), k > 0);
    wgmma_commit();
    narrow(e, k_major(shared(a)), k_major(shared(b)), 1);
    narrow(f, k_major(shared(a)), k_major(shared(b)), 0);
    wgmma_commit();
    wgmma_wait<1>();  // for the first
    if (whole) wgmma_wait<0>();
    float* mine = out + threadIdx.x / 128 * 64 * 136;
    for (int i = 0; i < 64; i++) mine[row_of(i) * 136 + column_of(i)] = d[i];
    wgmma_wait<0>();
    for (int i = 0; i < 4; i++) mine[row_of(i) * 136 + 128 + column_of(i)] = e[i] + f[i];
}

void test() {
    float* out = device_array<float>(2 * 64 * 136);
    for (const bool whole : {false, true}) {
        kernel<<<1, 256>>>(out, whole);
        EXPECT_DONE();
        int wrong = 0;
        for (int i = 0; i < 2 * 64 * 136; i++) {
            const int x = i % 136;
            wrong += out[i] != float(x < 128 ? 64 * x : 100 + 32 * (x - 128));
        }
        EXPECT(wrong == 0);
    }
}

}  // namespace groups

int main() {
    types::both<Bf16>(-1), types::both<F16>(), types::both<F16Sums>(), types::both<Tf32>();
    types::both<E4m3>(), types::both<E5m2>(), types::both<S8>();
    layouts::test<0, 0>(), layouts::test<0, 1>(), layouts::test<1, 0>(), layouts::test<1, 1>();
    groups::test();
    return report();
}
