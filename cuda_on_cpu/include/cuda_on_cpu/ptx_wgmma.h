// Inline PTX: wgmma and setmaxnreg (wgmma.h has the rules).
#pragma once

#include "cuda_on_cpu/ptx.h"
#include "cuda_on_cpu/wgmma.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

// A sum's variable, as asm's operand names it.
template <class T>
void* sum(T& operand) {
    static_assert(sizeof operand == 4, "asm: a sum of wgmma has 32 bits");
    return const_cast<void*>(static_cast<const volatile void*>(&operand));
}

template <class T>
constexpr Matrix matrix_type() {
    if constexpr (std::is_same<T, f16>::value) return Matrix::f16;
    if constexpr (std::is_same<T, bf16>::value) return Matrix::bf16;
    if constexpr (std::is_same<T, tf32>::value) return Matrix::tf32;
    if constexpr (std::is_same<T, e4m3>::value) return Matrix::e4m3;
    if constexpr (std::is_same<T, e5m2>::value) return Matrix::e5m2;
    return std::is_same<T, s8>::value ? Matrix::s8 : Matrix::u8;
}

template <int N, class A, class B, class D, size_t SUMS>
void start(const std::array<void*, SUMS>& sums, const WgmmaOperands& operands, Location where) {
    constexpr Sum sum = std::is_same<D, f16>::value ? Sum::f16 : std::is_same<D, s32>::value ? Sum::s32 : Sum::f32;
    constexpr int k = 32 / matrix_bytes(matrix_type<A>());  // a row of A has 32 bytes
    constexpr WgmmaShape shape = {N, k, matrix_type<A>(), matrix_type<B>(), sum};
    static_assert(shape.registers() == int(SUMS), "wgmma: a thread has N / 2 sums, and of f16 two in a register");
    wgmma_start(shape, operands, sums, where);
}
// As CUTLASS calls them: both matrices in shared memory, or A in registers.
template <int N, class A, class B, class D, size_t SUMS>
void wgmma_ss(const std::array<void*, SUMS>& sums, u64 a, u64 b, bool add, s32 scale_a, s32 scale_b, s32 trans_a,
              s32 trans_b, Location where = {}) {
    start<N, A, B, D>(sums, {false, {}, a, b, add, scale_a, scale_b, trans_a != 0, trans_b != 0}, where);
}
template <int N, class A, class B, class D, size_t SUMS>
void wgmma_ss(const std::array<void*, SUMS>& sums, u64 a, u64 b, bool add, s32 scale_a = 1, s32 scale_b = 1,
              Location where = {}) {
    wgmma_ss<N, A, B, D>(sums, a, b, add, scale_a, scale_b, 0, 0, where);
}
template <int N, class A, class B, class D, size_t SUMS>
void wgmma_rs(const std::array<void*, SUMS>& sums, const std::array<b32, 4>& a, u64 b, bool add, s32 scale_a = 1,
              s32 scale_b = 1, s32 trans_b = 0, Location where = {}) {
    start<N, A, B, D>(sums, {true, {a[0], a[1], a[2], a[3]}, 0, b, add, scale_a, scale_b, false, trans_b != 0}, where);
}
inline void wgmma_fence() { cuda_on_cpu::wgmma_fence(); }
inline void wgmma_commit_group() { wgmma_commit(); }
inline void wgmma_wait_group(s32 groups_left, Location where = {}) { wgmma_wait(groups_left, where); }
inline void setmaxnreg(u32 registers, Location where = {}) { set_max_registers(registers, where); }

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
