// One product of wgmma: 64 x K by K x N, added to what lies in the registers of 128 threads.
#pragma once

#include <array>

#include "cuda_on_cpu/watch.h"
#include "cuda_on_cpu/wgmma_matrix.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

enum class Sum : uint8_t { f32, f16, s32 };

struct WgmmaShape {
    int n, k;
    Matrix a, b;
    Sum sum;
    bool operator!=(const WgmmaShape& o) const { return n != o.n || k != o.k || a != o.a || b != o.b || sum != o.sum; }
    constexpr int registers() const { return sum == Sum::f16 ? n / 4 : n / 2; }  // of a thread's sums
};

struct WgmmaOperands {
    bool a_in_registers;
    uint32_t a[4];
    uint64_t desc_a, desc_b;
    bool add;  // scale-d: else the product replaces the sums
    int scale_a, scale_b;
    bool trans_a, trans_b;

    bool is_same(const WgmmaOperands& o) const {  // but for A in registers, where each thread has its own part
        return desc_b == o.desc_b && (a_in_registers || desc_a == o.desc_a) && add == o.add && scale_a == o.scale_a &&
               scale_b == o.scale_b && trans_a == o.trans_a && trans_b == o.trans_b;
    }
};

// Who holds what (PTX ISA, "Register fragments" of wgmma): thread 32 * w + l has rows 16 * w + l / 4 and 8 below, and
// of each the neighbours from l % 4 on, then those that follow 4 times as many further right.
inline int wgmma_row(int thread, int i) { return thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8; }

struct WgmmaThreadPart {  // what one of the 128 threads brings along
    const WgmmaOperands* operands;
    std::array<uint32_t*, 128> sums;
};

// Products are exact, and a sum is worked out in double and rounded once, to f32 or f16. A GPU adds in another way: it
// may differ in the last bits, and more so for 8-bit floats, which it is said to add with fewer bits.
inline void multiply(const WgmmaShape& shape, const std::array<WgmmaThreadPart, 128>& threads, Location where) {
    static double a[64][32], b[32][256], sums[64][256];
    const WgmmaOperands& o = *threads[0].operands;
    if (o.a_in_registers) {
        const int bytes = matrix_bytes(shape.a), per = 4 / bytes;
        for (int t = 0; t < 128; t++)
            for (int r = 0; r < 4; r++)
                for (int i = 0; i < per; i++) {
                    const char* p = reinterpret_cast<const char*>(&threads[size_t(t)].operands->a[r]) + i * bytes;
                    a[wgmma_row(t, r)][(t % 4 + r / 2 * 4) * per + i] = o.scale_a * matrix_element(shape.a, p);
                }
    } else {
        read_matrix({o.desc_a}, 64, shape.k, shape.a, o.trans_a, "A", where,
                    [&](int row, int column, double x) { a[row][column] = o.scale_a * x; });
    }
    read_matrix({o.desc_b}, shape.n, shape.k, shape.b, o.trans_b, "B", where,
                [&](int column, int row, double x) { b[row][column] = o.scale_b * x; });

    const int per = shape.sum == Sum::f16 ? 2 : 1;
    const auto each_sum = [&](auto f) {  // f(sum, its register, which half of it)
        for (int t = 0; t < 128; t++)
            for (int i = 0; i < shape.n / 2; i++)
                f(sums[wgmma_row(t, i / 2)][t % 4 * 2 + i % 2 + i / 4 * 8], *threads[size_t(t)].sums[size_t(i / per)],
                  i % per);
    };
    memset(sums, 0, sizeof sums);
    if (o.add)
        each_sum([&](double& sum, uint32_t bits, int half) {
            sum = shape.sum == Sum::f32   ? double(SmallFloat<8, 7>::float_of(bits))
                  : shape.sum == Sum::s32 ? double(int32_t(bits))
                                          : double(SmallFloat<5, 10>::to_float(bits >> (16 * half) & 0xffff));
        });
    for (int m = 0; m < 64; m++)
        for (int k = 0; k < shape.k; k++) {
            const double x = product_counts() * a[m][k];
            for (int n = 0; n < shape.n; n += 8)
                for (int j = 0; j < 8; j++) sums[m][n + j] += x * b[k][n + j];
        }
    each_sum([&](double sum, uint32_t& bits, int half) {
        if (shape.sum == Sum::f32) {
            const auto rounded = float(sum);
            memcpy(&bits, &rounded, 4);
        } else if (shape.sum == Sum::s32) {
            bits = uint32_t(int64_t(sum));
        } else {
            bits = (bits & (half ? 0xffff : 0xffff0000)) | SmallFloat<5, 10>::from_double(sum) << (16 * half);
        }
    });
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
