// Tensor cores: mma.sync and ldmatrix as inline PTX, and wmma. All numbers are small integers, so that every sum is
// exact.
#include "expect.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <cmath>
#include <cstdint>
#include <cstring>

// A * B + C of M x N x K, where a(i, k) and so on give an element.
template <class A, class B, class C>
double product(int k, A a, B b, C c, int row, int column) {
    double sum = c(row, column);
    for (int i = 0; i < k; i++) sum += a(row, i) * b(i, column);
    return sum;
}
int some_a(int row, int k) { return (row * 5 + k * 3) % 7 - 3; }
int some_b(int k, int column) { return (k * 2 + column * 7) % 5 - 2; }
int some_c(int row, int column) { return (row * 3 + column) % 11; }

namespace mma_sync {

// C = A * B: a 16 x 16 by row, b 8 x 16 (B by column), halves; ldmatrix as kernels use it.
__global__ void halves(float* c, const half* a, const half* b) {
    __shared__ __align__(128) half sa[16 * 16], sb[8 * 16];
    const int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) sa[i] = a[i];
    for (int i = lane; i < 128; i += 32) sb[i] = b[i];
    __syncwarp();
    const uint32_t address_a = static_cast<uint32_t>(__cvta_generic_to_shared(sa + lane % 16 * 16 + lane / 16 * 8));
    const uint32_t address_b = static_cast<uint32_t>(__cvta_generic_to_shared(sb + lane % 8 * 16 + lane / 8 % 2 * 8));
    uint32_t ra[4], rb[2];
    float d[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(address_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0, %1}, [%2];\n"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"(address_b));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\n"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(1.0f), "f"(1.0f), "f"(1.0f),
          "f"(1.0f));
    for (int i = 0; i < 4; i++) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
    // With f16 accumulators, two in a register, and a product with A's other half added in place.
    uint32_t e[2] = {0, 0};
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};\n"
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%5, %6}, {%7}, {%0, %1};\n"
        : "+r"(e[0]), "+r"(e[1])
        : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]), "r"(ra[2]), "r"(ra[3]), "r"(rb[1]));
    for (int i = 0; i < 4; i++) {
        half h;
        memcpy(&h, reinterpret_cast<char*>(e) + 2 * i, 2);
        c[128 + (lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = __half2float(h);
    }
}

// The same matrices from registers that each lane fills itself: mma's own layout.
template <class T>
__device__ uint32_t pack(T f, int row, int column, int bytes) {  // elements row, column and their right neighbours
    uint32_t r = 0;
    for (int i = 0; i < 4 / bytes; i++) r |= f(row, column + i) << 8 * bytes * i;
    return r;
}

__global__ void others(float* c, int* n, double* d) {
    const int lane = threadIdx.x, row = lane / 4, quad = lane % 4;
    const auto a = [](int row, int k) { return (row * 5 + k * 3) % 7 - 3; };
    const auto b = [](int k, int column) { return (k * 2 + column * 7) % 5 - 2; };
    const auto bf16 = [](int x) { return __float_as_uint(float(x)) >> 16; };
    const auto a16 = [=](int row, int k) { return bf16(a(row, k)); };
    const auto b16 = [=](int column, int k) { return bf16(b(k, column)); };
    float f[4];
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %10, %10, %10};"
        : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])
        : "r"(pack(a16, row, 2 * quad, 2)), "r"(pack(a16, row + 8, 2 * quad, 2)), "r"(pack(a16, row, 2 * quad + 8, 2)),
          "r"(pack(a16, row + 8, 2 * quad + 8, 2)), "r"(pack(b16, row, 2 * quad, 2)),
          "r"(pack(b16, row, 2 * quad + 8, 2)), "f"(2.0f));
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * 8 + quad * 2 + i % 2] = f[i];

    const auto tf32 = [](int x) { return __float_as_uint(float(x)); };
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
        : "r"(tf32(a(row, quad))), "r"(tf32(a(row + 8, quad))), "r"(tf32(a(row, quad + 4))),
          "r"(tf32(a(row + 8, quad + 4))), "r"(tf32(b(quad, row))), "r"(tf32(b(quad + 4, row))));
    for (int i = 0; i < 4; i++) c[128 + (row + i / 2 * 8) * 8 + quad * 2 + i % 2] = f[i];

    const auto a8 = [=](int row, int k) { return uint32_t(uint8_t(a(row, k))); };
    const auto b8 = [=](int column, int k) { return uint32_t(uint8_t(b(k, column) + 2)); };  // unsigned
    int s[4] = {0, 0, 0, 2147483640};
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
        : "r"(pack(a8, row, 4 * quad, 1)), "r"(pack(a8, row + 8, 4 * quad, 1)), "r"(pack(a8, row, 4 * quad + 16, 1)),
          "r"(pack(a8, row + 8, 4 * quad + 16, 1)), "r"(pack(b8, row, 4 * quad, 1)),
          "r"(pack(b8, row, 4 * quad + 16, 1)));
    for (int i = 0; i < 4; i++) n[(row + i / 2 * 8) * 8 + quad * 2 + i % 2] = s[i];

    double e[2] = {0.5, 0.5};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(e[0]), "+d"(e[1])
                 : "d"(double(a(row, quad))), "d"(double(b(quad, row))));
    for (int i = 0; i < 2; i++) d[row * 8 + quad * 2 + i] = e[i];
}

// Four transposed matrices, and back.
__global__ void transposed(uint16_t* out, const uint16_t* in) {
    __shared__ __align__(16) uint16_t s[4][8][8], t[4][8][8];
    for (int i = threadIdx.x; i < 256; i += 32) s[i / 64][i / 8 % 8][i % 8] = in[i];
    __syncwarp();
    uint32_t r[4];
    const int matrix = threadIdx.x / 8, row = threadIdx.x % 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(uint32_t(__cvta_generic_to_shared(s[matrix][row]))));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r[3]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     uint32_t(__cvta_generic_to_shared(t[matrix][row]))),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) out[i] = t[i / 64][i / 8 % 8][i % 8];
}

void test() {
    half *a = device_array<half>(256), *b = device_array<half>(128);
    float* c = device_array<float>(256);
    int* n = device_array<int>(128);
    double* d = device_array<double>(64);
    for (int i = 0; i < 256; i++) a[i] = __float2half(float(some_a(i / 16, i % 16)));
    for (int i = 0; i < 128; i++) b[i] = __float2half(float(some_b(i % 16, i / 16)));
    const auto constant = [](double x) { return [x](int, int) { return x; }; };
    halves<<<1, 32>>>(c, a, b);
    EXPECT_DONE();
    for (int i = 0; i < 128; i++) {
        EXPECT(c[i] == product(16, some_a, some_b, constant(1), i / 8, i % 8));
        EXPECT(c[128 + i] == product(16, some_a, some_b, constant(0), i / 8, i % 8));
    }
    others<<<1, 32>>>(c, n, d);
    EXPECT_DONE();
    const auto b_plus_2 = [](int k, int column) { return some_b(k, column) + 2; };
    for (int i = 0; i < 128; i++) {
        const double first = product(16, some_a, some_b, constant(2), i / 8, i % 8);
        EXPECT(c[i] == first);
        EXPECT(c[128 + i] == product(8, some_a, some_b, constant(first), i / 8, i % 8));
        const bool full = i / 8 >= 8 && i % 2;
        const double exact = product(32, some_a, b_plus_2, constant(full ? 2147483640 : 0), i / 8, i % 8);
        EXPECT(n[i] == (exact > 2147483647 ? 2147483647 : exact));
    }
    for (int i = 0; i < 64; i++) EXPECT(d[i] == product(4, some_a, some_b, constant(0.5), i / 8, i % 8));

    auto *in = device_array<uint16_t>(256), *out = device_array<uint16_t>(256);
    for (int i = 0; i < 256; i++) in[i] = uint16_t(i);
    transposed<<<1, 32>>>(out, in);
    EXPECT_DONE();
    for (int i = 0; i < 256; i++) {
        const int matrix = i / 64, row = i / 8 % 8, column = i % 8;
        EXPECT(out[i] == (matrix < 3 ? matrix * 64 + column * 8 + row : i));
    }
}

}  // namespace mma_sync

namespace wmma_fragments {

using namespace nvcuda;

// One product of M x N x K; then every element of the accumulator, times 2.
template <int M, int N, int K, class T, class Memory, class C, class LayoutA, class LayoutB>
__global__ void multiply(C* d, const Memory* a, const Memory* b, const C* c) {
    constexpr bool a_by_rows = std::is_same<LayoutA, wmma::row_major>::value;
    constexpr bool b_by_rows = std::is_same<LayoutB, wmma::row_major>::value;
    wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
    wmma::load_matrix_sync(fa, a, a_by_rows ? K : M);
    wmma::load_matrix_sync(fb, b, b_by_rows ? N : K);
    wmma::load_matrix_sync(fc, c, M, wmma::mem_col_major);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::fill_fragment(fc, C(0.0f));
    for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] + fd.x[i];
    wmma::store_matrix_sync(d, fd, N, wmma::mem_row_major);
}

template <int M, int N, int K, class T, class C, class LayoutA, class LayoutB, class Memory = T>
void test_one() {
    Memory *a = device_array<Memory>(M * K), *b = device_array<Memory>(K * N);
    C *c = device_array<C>(M * N), *d = device_array<C>(M * N);
    constexpr bool a_by_rows = std::is_same<LayoutA, wmma::row_major>::value;
    constexpr bool b_by_rows = std::is_same<LayoutB, wmma::row_major>::value;
    const int shift = std::is_same<T, unsigned char>::value ? 3 : 0;
    const auto number_a = [&](int row, int k) { return some_a(row, k) + shift; };
    const auto number_b = [&](int k, int column) { return some_b(k, column) + shift; };
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) a[a_by_rows ? i * K + k : k * M + i] = Memory(float(number_a(i, k)));
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++) b[b_by_rows ? k * N + j : j * K + k] = Memory(float(number_b(k, j)));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) c[j * M + i] = C(float(some_c(i, j)));
    multiply<M, N, K, T, Memory, C, LayoutA, LayoutB><<<1, 32>>>(d, a, b, c);
    EXPECT_DONE();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            EXPECT(double(float(d[i * N + j])) == 2 * product(K, number_a, number_b, some_c, i, j));
}

void test() {
    using wmma::col_major;
    using wmma::row_major;
    test_one<16, 16, 16, half, float, row_major, row_major>();
    test_one<16, 16, 16, half, half, row_major, col_major>();
    test_one<32, 8, 16, half, float, col_major, row_major>();
    test_one<8, 32, 16, half, half, col_major, col_major>();
    test_one<16, 16, 16, __nv_bfloat16, float, row_major, col_major>();
    test_one<16, 16, 8, wmma::precision::tf32, float, row_major, row_major, float>();
    test_one<16, 16, 16, signed char, int, row_major, col_major>();
    test_one<32, 8, 16, unsigned char, int, row_major, col_major>();
    test_one<8, 8, 4, double, double, row_major, col_major>();
}

// 256 x 256 x 256 in tiles of 16 x 16, a warp each, from shared memory.
__global__ void gemm(float* c, const half* a, const half* b, int n) {
    __shared__ __align__(32) half sa[4][16 * 16], sb[4][16 * 16];
    const int warp = threadIdx.y, lane = threadIdx.x, row = (blockIdx.y * 4 + warp) * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = lane; i < 256; i += 32) {
            sa[warp][i] = a[(row + i / 16) * n + k + i % 16];
            sb[warp][i] = b[(k + i / 16) * n + column + i % 16];
        }
        __syncwarp();
        wmma::load_matrix_sync(fa, sa[warp], 16);
        wmma::load_matrix_sync(fb, sb[warp], 16);
        wmma::mma_sync(fc, fa, fb, fc);
        __syncwarp();
    }
    wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

void test_gemm() {
    const int n = 256;
    half *a = device_array<half>(n * n), *b = device_array<half>(n * n);
    float* c = device_array<float>(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = __float2half(float(some_a(i / n, i % n))), b[i] = __float2half(float(some_b(i / n, i % n)));
    gemm<<<dim3(n / 16, n / 64), dim3(32, 4)>>>(c, a, b, n);
    EXPECT_DONE();
    for (int i = 0; i < n; i += 17)
        for (int j = 0; j < n; j++)
            EXPECT(c[i * n + j] == product(n, some_a, some_b, [](int, int) { return 0; }, i, j));
}

}  // namespace wmma_fragments

int main() {
    mma_sync::test();
    wmma_fragments::test();
    wmma_fragments::test_gemm();
    return report();
}
