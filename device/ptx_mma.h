// ptx_mma.h: the PTX instructions of a matrix product on the tensor cores of any GPU from compute capability 8.0 on.
// Each function is one instruction; the name in quotes is that of its section in NVIDIA's manual, "PTX ISA". Copy this
// file and address.h into a project of your own.
//
//   copy_16_bytes(place, from, true);            // a thread, to shared memory
//   commit_copies(), wait_for_copies<0>(), __syncthreads();
//   load_matrices<false>(a, place_of_a_row);     // a warp, to registers
//   multiply<__half>(sums, a, b0, b1);           // a warp, in registers
//
// These instructions take an address in shared memory as 32 bits: address_of(pointer).
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "device/address.h"

// "cp.async": starts a copy of 16 bytes past the registers, from an address that is a multiple of 16. If not `inside`,
// it writes zeros and reads nothing.
__device__ inline void copy_16_bytes(uint32_t to, const void* from, bool inside) {
    asm volatile(
        "{ .reg .pred outside;\n"
        "setp.eq.s32 outside, %2, 0;\n"
        "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, outside; }" ::"r"(to),
        "l"(from), "r"(int(inside))
        : "memory");
}

// "cp.async.commit_group": the thread's copies since the last call are a group, which may be empty.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// "cp.async.wait_group": waits until at most LEFT of the thread's groups are on their way, the last ones.
template <int LEFT>
__device__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// "st": stores 16 bytes.
__device__ inline void store_16_bytes(uint32_t to, uint4 v) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

// "ldmatrix": a warp loads four matrices of 8 x 8 elements of two bytes. `row` is the address of 16 bytes, aligned: of
// lane 8 * i + r, row r of matrix i. Of each matrix, lane l gets elements 2 * (l % 4) and the next of row l / 4, or,
// TRANSPOSED, of column l / 4.
template <bool TRANSPOSED>
__device__ void load_matrices(uint32_t (&x)[4], uint32_t row) {
    if constexpr (TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(row)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(row)
                     : "memory");
}

// "mma.sync.m16n8k16": sums += a @ b, of a warp. a has 16 x 16 elements, b 16 x 8, sums 16 x 8. What lane l has of
// them, with row = l / 4 and column = 2 * (l % 4): of a, from (row, column) on two neighbours in a row, and the same 8
// rows below, 8 columns to the right, and both; of b, from (column, row) on two neighbours in a column, and the same 8
// rows below; of the sums, from (row, column) on two neighbours in a row, and the same 8 rows below.
template <class T>
__device__ void multiply(float (&sums)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    if constexpr (std::is_same_v<T, __half>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
            "%2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
            "%1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
