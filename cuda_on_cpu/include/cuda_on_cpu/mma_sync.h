// Inline PTX: matrices that are spread over the registers of a warp's 32 lanes. ldmatrix fetches them from shared
// memory, mma.sync multiplies them.
//
// Who holds what. A register holds as many neighbours as fit (`per`): two halves, four bytes. In the small matrices of
// which all others are put together, lane l holds row l / 4, and of this row the neighbours from l % 4 * per on. B is
// held by columns.
#pragma once

#include "cuda_on_cpu/all_lanes.h"
#include "cuda_on_cpu/ptx.h"
#include "cuda_on_cpu/watch.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

// ---- ldmatrix, stmatrix: N matrices of 8 x 8 halves; lane 8 * i + r has the address of row r of matrix i -----------
template <int N>
struct MatrixLane {
    char* row;
    std::array<b32, size_t(N)> registers;
};

// Moves between half `j` of the register `i` of lane `l` and memory.
template <int N, bool TRANSPOSED, class Move>
void each_half(MatrixLane<N>* const (&lanes)[32], Move move) {
    for (int i = 0; i < N; i++)
        for (int l = 0; l < 32; l++)
            for (int j = 0; j < 2; j++) {
                const int a = l / 4, b = l % 4 * 2 + j, row = TRANSPOSED ? b : a, column = TRANSPOSED ? a : b;
                move(reinterpret_cast<char*>(&lanes[l]->registers[size_t(i)]) + 2 * j,
                     lanes[i * 8 + row]->row + 2 * column);
            }
}
template <int N, bool TRANSPOSED>
void load_matrices(MatrixLane<N>* const (&lanes)[32]) {
    each_half<N, TRANSPOSED>(lanes, [](char* half, const char* memory) { memcpy(half, memory, 2); });
}
template <int N, bool TRANSPOSED>
void store_matrices(MatrixLane<N>* const (&lanes)[32]) {
    each_half<N, TRANSPOSED>(lanes, [](const char* half, char* memory) { memcpy(memory, half, 2); });
}

template <int N>
void check_row(const char* function, const char* row, Location where) {
    if (self->lane() < 8 * N && reinterpret_cast<uintptr_t>(row) % 16 != 0)
        fail(std::string(function) + " at " + text(where) + ": the address of a row is not aligned to 16 bytes");
}
template <int N, bool TRANSPOSED = false>
std::array<b32, size_t(N)> ldmatrix(char* row, Location where = {}) {
    check_row<N>("ldmatrix", row, where);
    if (self->lane() < 8 * N) CUDA_ON_CPU_RECORD(asks(row, 16, false, where.file, where.line));
    MatrixLane<N> mine{row, {}};
    all_lanes<MatrixLane<N>, load_matrices<N, TRANSPOSED>>("ldmatrix", mine, where);
    return mine.registers;
}
template <int N>
std::array<b32, size_t(N)> ldmatrix_trans(char* row, Location where = {}) {
    return ldmatrix<N, true>(row, where);
}
template <int N, bool TRANSPOSED = false>
void stmatrix(char* row, const std::array<b32, size_t(N)>& registers, Location where = {}) {
    check_row<N>("stmatrix", row, where);
    if (self->lane() < 8 * N) CUDA_ON_CPU_RECORD(asks(row, 16, true, where.file, where.line));
    MatrixLane<N> mine{row, registers};
    all_lanes<MatrixLane<N>, store_matrices<N, TRANSPOSED>>("stmatrix", mine, where);
}
template <int N>
void stmatrix_trans(char* row, const std::array<b32, size_t(N)>& registers, Location where = {}) {
    stmatrix<N, true>(row, registers, where);
}

inline void transpose_matrix(MatrixLane<1>* const (&lanes)[32]) {
    alignas(16) char memory[8][16];
    std::array<char*, 32> rows;
    for (int l = 0; l < 32; l++) rows[size_t(l)] = lanes[l]->row, lanes[l]->row = memory[l % 8];
    store_matrices<1, false>(lanes);
    load_matrices<1, true>(lanes);
}
inline b32 movmatrix(b32 value, Location where = {}) {
    MatrixLane<1> mine{nullptr, {{value}}};
    all_lanes<MatrixLane<1>, transpose_matrix>("movmatrix", mine, where);
    return mine.registers[0];
}

// ---- mma.sync: D = A * B + C, with M x K, K x 8 and M x 8 elements -------------------------------------------------
// Products are exact. Sums of integers wrap around; others are worked out in double and rounded once to D's type: a GPU
// adds in another way, and may differ in the last bits.
template <class T>
auto number(const T& x) {
    if constexpr (std::is_arithmetic<T>::value)
        return std::conditional_t<std::is_integral<T>::value, int64_t, double>(x);
    else
        return double(x.value());
}
template <class T, bool SATURATE, class Sum>
T rounded(Sum x) {
    if constexpr (std::is_same<T, f16>::value) return T::of(x);
    if constexpr (SATURATE) return T(std::max<Sum>(INT_MIN, std::min<Sum>(INT_MAX, x)));
    if constexpr (!std::is_same<T, f16>::value) return T(x);
}

template <int M, int K, class A, class B, class C, class D>
struct MmaLane {
    using Register = std::conditional_t<std::is_same<D, f64>::value, b64, b32>;
    static constexpr int per_a = sizeof(Register) / sizeof(A), per_c = sizeof(Register) / sizeof(C),
                         per_d = sizeof(Register) / sizeof(D);
    std::array<Register, size_t(M* K / 32 / per_a)> a;
    std::array<Register, size_t(8 * K / 32 / per_a)> b;
    std::array<Register, size_t(M / 4 / per_c)> c;
    std::array<Register, size_t(M / 4 / per_d)> d;
};

template <class T, class Registers>
T& element(Registers& registers, int i) {
    return reinterpret_cast<T*>(&registers)[i];
}

template <int M, int K, class A, class B, class C, class D, bool SATURATE>
void multiply(MmaLane<M, K, A, B, C, D>* const (&lanes)[32]) {
    using Lane = MmaLane<M, K, A, B, C, D>;
    using Sum = decltype(number(A()));
    constexpr int per = Lane::per_a;
    Sum a[M][K], b[8][K];
    for (int l = 0; l < 32; l++) {
        for (int i = 0; i < M * K / 32; i++) {
            const int piece = i / per;  // which small matrix: row after row down to M, then to the right
            a[l / 4 + piece % (M / 8) * 8][l % 4 * per + i % per + piece / (M / 8) * 4 * per] =
                number(element<const A>(lanes[l]->a, i));
        }
        for (int i = 0; i < 8 * K / 32; i++)
            b[l / 4][l % 4 * per + i % per + i / per * 4 * per] = number(element<const B>(lanes[l]->b, i));
    }
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < M / 4; i++) {
            const int row = l / 4 + i / 2 * 8, column = l % 4 * 2 + i % 2;
            Sum sum = number(element<const C>(lanes[l]->c, i));
            for (int k = 0; k < K; k++) sum += product_counts() * a[row][k] * b[column][k];
            element<D>(lanes[l]->d, i) = rounded<D, SATURATE>(sum);
        }
}

template <int M, int K, class A, class B, class C, class D, bool SATURATE = false>
auto mma(decltype(MmaLane<M, K, A, B, C, D>::a) a, decltype(MmaLane<M, K, A, B, C, D>::b) b,
         decltype(MmaLane<M, K, A, B, C, D>::c) c, Location where = {}) {
    MmaLane<M, K, A, B, C, D> mine{a, b, c, {}};
    all_lanes<MmaLane<M, K, A, B, C, D>, multiply<M, K, A, B, C, D, SATURATE>>("mma.sync", mine, where);
    return mine.d;
}

template <int K, class A, class B, class... Registers>
auto mma_satfinite(Registers... registers) {
    return mma<16, K, A, B, s32, s32, true>(registers...);
}

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
