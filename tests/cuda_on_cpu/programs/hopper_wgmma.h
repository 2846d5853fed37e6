// For the programs about wgmma, which need sm_90a. Macros complete the asm statements: nobody writes 64 operands by
// hand.
#pragma once
#include "hopper.h"

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT>
__device__ inline void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

enum Mode { PLAIN, SWIZZLE_128, SWIZZLE_64, SWIZZLE_32 };  // as in a descriptor
__host__ __device__ inline uint64_t descriptor(uint32_t address, uint64_t leading, uint64_t stride, uint64_t mode) {
    const auto encode = [](uint64_t x) { return (x & 0x3ffff) >> 4; };
    return encode(address) | encode(leading) << 16 | encode(stride) << 32 | mode << 62;
}
// A matrix whose rows (in K) have 128 bytes, as TMA swizzles them. A step in K adds to the address.
__device__ inline uint64_t k_major(uint32_t address) { return descriptor(address, 16, 1024, SWIZZLE_128); }

// The row and the column of sum i of a thread.
__device__ inline int row_of(int i) { return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8; }
__device__ inline int column_of(int i) { return threadIdx.x % 4 * 2 + i % 2 + i / 4 * 8; }

#define NAMES_4 "%0,%1,%2,%3"
#define NAMES_16 NAMES_4 ",%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define NAMES_32 NAMES_16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define NAMES_64                                                                            \
    NAMES_32                                                                                \
    ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52," \
    "%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define SUMS_4(c, i) "+" c(d[i]), "+" c(d[i + 1]), "+" c(d[i + 2]), "+" c(d[i + 3])
#define SUMS_16(c, i) SUMS_4(c, i), SUMS_4(c, i + 4), SUMS_4(c, i + 8), SUMS_4(c, i + 12)
#define SUMS_32(c) SUMS_16(c, 0), SUMS_16(c, 16)
#define SUMS_64(c) SUMS_32(c), SUMS_16(c, 32), SUMS_16(c, 48)

// The matrix a by its descriptor, or from registers. The numbers are those of the operands that follow the sums.
#define WGMMA(TEXT, NAMES, A, B, ADD, FLAGS, ...)                                                               \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #ADD ", 0;\n wgmma.mma_async.sync.aligned." TEXT " {" NAMES \
                 "}, %" #A ", %" #B ", p" FLAGS ";\n}"                                                          \
                 : __VA_ARGS__                                                                                  \
                 : "l"(a), "l"(b), "r"(add))
#define WGMMA_REGISTERS(TEXT, NAMES, A0, A1, A2, A3, B, ADD, FLAGS, ...)                                        \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #ADD ", 0;\n wgmma.mma_async.sync.aligned." TEXT " {" NAMES \
                 "}, {%" #A0 ", %" #A1 ", %" #A2 ", %" #A3 "}, %" #B ", p" FLAGS ";\n}"                         \
                 : __VA_ARGS__                                                                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add))

// d[64, N] = a[64, 16] b[16, N], added to d if `add` says so; bfloat16.
template <int TRANS_A = 0, int TRANS_B = 0>
__device__ inline void wgmma(float (&d)[32], uint64_t a, uint64_t b, int add = 1) {
    if constexpr (!TRANS_A && !TRANS_B)
        WGMMA("m64n64k16.f32.bf16.bf16", NAMES_32, 32, 33, 34, ", 1, 1, 0, 0", SUMS_32("f"));
    if constexpr (TRANS_A && !TRANS_B)
        WGMMA("m64n64k16.f32.bf16.bf16", NAMES_32, 32, 33, 34, ", 1, 1, 1, 0", SUMS_32("f"));
    if constexpr (!TRANS_A && TRANS_B)
        WGMMA("m64n64k16.f32.bf16.bf16", NAMES_32, 32, 33, 34, ", 1, 1, 0, 1", SUMS_32("f"));
    if constexpr (TRANS_A && TRANS_B)
        WGMMA("m64n64k16.f32.bf16.bf16", NAMES_32, 32, 33, 34, ", 1, 1, 1, 1", SUMS_32("f"));
}
// The same with a in registers, and b stored by rows.
__device__ inline void wgmma_from_registers(float (&d)[32], const uint32_t (&a)[4], uint64_t b, int add = 1) {
    WGMMA_REGISTERS("m64n64k16.f32.bf16.bf16", NAMES_32, 32, 33, 34, 35, 36, 37, ", 1, 1, 1", SUMS_32("f"));
}
