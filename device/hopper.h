// hopper.h: the instructions of Hopper (sm_90a) for which CUDA C++ has no function, or a slower one: a function for
// each. Before each: what it does, and the section of the PTX ISA that defines it. These instructions take addresses of
// shared memory as 32-bit numbers. Copy this file and address.h into a project of your own.
//
//   const uint32_t full = address_of(&barrier);
//   if (threadIdx.x == 0) {
//       mbarrier_arrive_expect(full, sizeof tile);                 // one thread says how many bytes will come
//       tma_load(address_of(tile), &map, column, row, 0, full);    // and starts a copy that brings them
//   }
//   wait_for_phase(full, 0);                                       // all threads wait for phase 0
#pragma once
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "device/address.h"

// nvcc defines this for sm_90a alone: code for sm_90 or for another GPU has no wgmma. Such a kernel is then empty.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(CUDA_ON_CPU)
#define HAS_WGMMA

// ---- mbarrier: a phase ends when all arrivals, and all bytes that were announced, have come ------------------------

// Makes a barrier whose phases each wait for so many arrivals. PTX ISA, mbarrier.init
__device__ inline void mbarrier_init(uint32_t barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// TMA and the other blocks of the cluster see barriers that this thread has made. PTX ISA, membar/fence
__device__ inline void fence_mbarrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

// Arrives, and announces bytes. PTX ISA, mbarrier.arrive
__device__ inline void mbarrier_arrive_expect(uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Arrives. PTX ISA, mbarrier.arrive
__device__ inline void mbarrier_arrive(uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives at a barrier of any block of the cluster. With `.release.cluster`, nvcc would put a fence for the whole GPU
// before each arrival. PTX ISA, mbarrier.arrive
__device__ inline void mbarrier_arrive_cluster(uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Whether the phase of that parity is over. It may wait for a while before it says no. PTX ISA, mbarrier.try_wait
__device__ inline bool mbarrier_try_wait(uint32_t barrier, int parity) {
    uint32_t over;
    asm volatile(
        "{ .reg .pred over;\n mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n selp.u32 %0, 1, 0, over; }"
        : "=r"(over)
        : "r"(barrier), "r"(parity)
        : "memory");
    return over;
}

__device__ inline void wait_for_phase(uint32_t barrier, int parity) {
    while (!mbarrier_try_wait(barrier, parity)) {
    }
}

// The same for what other blocks of the cluster have stored. PTX ISA, mbarrier.try_wait
__device__ inline void wait_for_blocks(uint32_t barrier, int parity) {
    uint32_t over = 0;
    while (!over)
        asm volatile(
            "{ .reg .pred over;\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%1], %2;\n"
            "selp.u32 %0, 1, 0, over; }"
            : "=r"(over)
            : "r"(barrier), "r"(parity)
            : "memory");
}

// Until the kernels before this one have ended, and what they wrote is seen: for one that may start before they end
// (cudaLaunchAttributeProgrammaticStreamSerialization). PTX ISA, griddepcontrol
__device__ inline void wait_for_kernels_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// When all blocks have called it, the next kernel may start, if it may start before this one ends. PTX ISA,
// griddepcontrol
__device__ inline void let_next_kernel_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

// ---- blocks of a cluster, and some threads of a block --------------------------------------------------------------

// The address of the same place in block `rank` of the cluster. PTX ISA, mapa
__device__ inline uint32_t in_block(uint32_t address, int rank) {
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

// A barrier for all threads of the cluster. PTX ISA, barrier.cluster
__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The same in two halves. Of what threads did before, the first one shows only mbarriers. PTX ISA, barrier.cluster
__device__ inline void cluster_arrive() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
__device__ inline void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// Stores four numbers in any block of the cluster, whose barrier counts these 16 bytes. PTX ISA, st.async
__device__ inline void store_async(uint32_t to, float x, float y, float z, float w, uint32_t barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
                 "f"(x), "f"(y), "f"(z), "f"(w), "r"(barrier)
                 : "memory");
}

// A barrier for so many threads of the block, whole warps. A block has 16, and __syncthreads() is 0. PTX ISA, bar.sync
__device__ inline void named_barrier(int number, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// Counts as so many of those threads, and does not wait. PTX ISA, bar.arrive
__device__ inline void named_arrive(int number, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// Registers of each thread: all 128 threads of a warpgroup call it. Those that are given back can be taken by another
// warpgroup, which waits for them. A multiple of 8. PTX ISA, setmaxnreg
template <int registers>
__device__ void give_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// ---- TMA: a thread starts the copy of a whole box of a tensor ------------------------------------------------------

// Fetches a tensor map, which the first copy would wait for. PTX ISA, prefetch
__device__ inline void prefetch_map(const CUtensorMap* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// Copies the box at column x, row y of matrix z into shared memory. The barrier counts its bytes. What lies outside of
// the tensor becomes 0. PTX ISA, cp.async.bulk.tensor
__device__ inline void tma_load(uint32_t to, const CUtensorMap* map, int x, int y, int z, uint32_t barrier) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
            "r"(to),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
        : "memory");
}

// The same for a tensor of five dimensions, the innermost first. PTX ISA, cp.async.bulk.tensor
__device__ inline void tma_load(uint32_t to, const CUtensorMap* map, int c0, int c1, int c2, int c3, int c4,
                                uint32_t barrier) {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(to),
        "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), "r"(barrier)
        : "memory");
}

// The other way: from shared memory into the tensor. What lies outside of it is dropped. Threads that wrote the shared
// memory call fence_async() first. PTX ISA, cp.async.bulk.tensor
__device__ inline void tma_store(const CUtensorMap* map, uint32_t from, int x, int y, int z) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

// The same for a tensor of five dimensions, the innermost first. PTX ISA, cp.async.bulk.tensor
__device__ inline void tma_store(const CUtensorMap* map, uint32_t from, int c0, int c1, int c2, int c3, int c4) {
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map),
                 "r"(from), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
                 : "memory");
}

// Waits until the stores that this thread has started have read shared memory; device memory may not have the results
// yet. The stores since the last call are a group, and the latest `groups` groups may still read. PTX ISA,
// cp.async.bulk.wait_group
template <int groups = 0>
__device__ inline void wait_for_stores_to_read() {
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory");
}

// TMA and wgmma see what this thread has written to shared memory. PTX ISA, membar/fence
__device__ inline void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The same into all blocks of the cluster whose bit in `blocks` is set, at the same address in each. Each block's own
// barrier counts the bytes. PTX ISA, cp.async.bulk.tensor
__device__ inline void tma_multicast(uint32_t to, const CUtensorMap* map, int x, int y, int z, uint32_t barrier,
                                     int blocks) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(uint16_t(blocks))
        : "memory");
}

// ---- wgmma: 128 threads multiply two tiles that lie in shared memory -----------------------------------------------

// Before the first product, and after a thread has changed its sums. PTX ISA, wgmma.fence
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// The products that were started since the last call are a group. PTX ISA, wgmma.commit_group
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until at most so many groups are under way. PTX ISA, wgmma.wait_group
template <int groups>
__device__ inline void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

// The same. The compiler, which does not know that the products change d, reads d only afterwards.
template <int groups, int sums>
__device__ inline void wgmma_wait(float (&d)[sums]) {
    wgmma_wait<groups>();
#pragma unroll
    for (int i = 0; i < sums; i++) asm volatile("" : "+f"(d[i])::"memory");
}

// Where a tile begins, for wgmma. It consists of rows of 128 bytes, swizzled as TMA writes them: 8 rows are 1024 bytes.
// `apart`: from one column of such rows to the next, in bytes; read only where a tile is transposed. In a cluster, an
// address of shared memory has the block's rank above bit 24. The mask removes it: the descriptor has no room for it.
// PTX ISA, "Matrix Descriptor Format" of wgmma
__device__ inline uint64_t wgmma_descriptor(uint32_t address, int apart) {
    const uint64_t swizzle_128_bytes = 1;
    return uint64_t((address & 0x3ffff) >> 4) | uint64_t(apart >> 4) << 16 | uint64_t(1024 >> 4) << 32 |
           swizzle_128_bytes << 62;
}

// Nobody writes 128 operands by hand: d[i] to d[i + 7], and so on, and their names in the text.
#define SUMS_8(i)                                                                                               \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define NAMES_32                                                                                                  \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%" \
    "29,%30,%31"
#define NAMES_64                                                                                                    \
    NAMES_32                                                                                                        \
    ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58," \
    "%59,%60,%61,%62,%63"
#define NAMES_96                                                                                                    \
    NAMES_64                                                                                                        \
    ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90," \
    "%91,%92,%93,%94,%95"
#define NAMES_128                                                                                                 \
    NAMES_96                                                                                                      \
    ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117," \
    "%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
// The letters are numbers of the operands after the sums.
#define WGMMA(SHAPE, TYPES, NAMES, A, B, TRANSPOSE_A, TRANSPOSE_B, ADD, ...)                                  \
    asm volatile("wgmma.mma_async.sync.aligned." SHAPE ".f32." TYPES " {" NAMES "}, %" #A ", %" #B ", %" #ADD \
                 ", 1, 1, %" #TRANSPOSE_A ", %" #TRANSPOSE_B ";"                                              \
                 : __VA_ARGS__                                                                                \
                 : "l"(a), "l"(b), "n"(int(transpose_a)), "n"(int(transpose_b)), "n"(int(add)))
#define WGMMA_OF_TYPE(TYPES)                                                                                     \
    if constexpr (sums == 32) WGMMA("m64n64k16", TYPES, NAMES_32, 32, 33, 34, 35, 36, SUMS_32(0));               \
    if constexpr (sums == 64) WGMMA("m64n128k16", TYPES, NAMES_64, 64, 65, 66, 67, 68, SUMS_32(0), SUMS_32(32)); \
    if constexpr (sums == 96)                                                                                    \
        WGMMA("m64n192k16", TYPES, NAMES_96, 96, 97, 98, 99, 100, SUMS_32(0), SUMS_32(32), SUMS_32(64));         \
    if constexpr (sums == 128)                                                                                   \
    WGMMA("m64n256k16", TYPES, NAMES_128, 128, 129, 130, 131, 132, SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96))
#define WGMMA_REGISTERS(SHAPE, TYPES, NAMES, A0, A1, A2, A3, B, TRANSPOSE_B, ADD, ...)                          \
    asm volatile("wgmma.mma_async.sync.aligned." SHAPE ".f32." TYPES " {" NAMES "}, {%" #A0 ", %" #A1 ", %" #A2 \
                 ", %" #A3 "}, %" #B ", %" #ADD ", 1, 1, %" #TRANSPOSE_B ";"                                    \
                 : __VA_ARGS__                                                                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(int(transpose_b)), "n"(int(add)))
#define WGMMA_REGISTERS_OF_TYPE(TYPES)                                                                               \
    if constexpr (sums == 32) WGMMA_REGISTERS("m64n64k16", TYPES, NAMES_32, 32, 33, 34, 35, 36, 37, 38, SUMS_32(0)); \
    if constexpr (sums == 64)                                                                                        \
    WGMMA_REGISTERS("m64n128k16", TYPES, NAMES_64, 64, 65, 66, 67, 68, 69, 70, SUMS_32(0), SUMS_32(32))

// Starts d += a b, where a is 64 x 16 and b is 16 x 2 * sums. Thread t of the 128 has these sums: of row
// t / 32 * 16 + t % 32 / 4 the columns t % 4 * 2 + 8 * i and the next one in d[4 * i] and d[4 * i + 1], and of the row
// 8 further down in d[4 * i + 2] and d[4 * i + 3]. If not `add`: d = a b. PTX ISA, wgmma.mma_async
template <class T, bool transpose_a, bool transpose_b, bool add = true, int sums>
__device__ inline void wgmma(float (&d)[sums], uint64_t a, uint64_t b) {
    static_assert(sums == 32 || sums == 64 || sums == 96 || sums == 128, "64, 128, 192 or 256 columns");
    if constexpr (std::is_same_v<T, __half>) {
        WGMMA_OF_TYPE("f16.f16");
    } else {
        WGMMA_OF_TYPE("bf16.bf16");
    }
}

// The same with a in registers, where a thread has of 64 x 16 numbers what it has of 64 x 16 sums: two numbers in each
// register, a[0] to a[3] in place of d[0] to d[7]. No register of a may change until the product is done. PTX ISA,
// wgmma.mma_async
template <class T, bool transpose_b, bool add = true, int sums>
__device__ inline void wgmma_registers(float (&d)[sums], const uint32_t* a, uint64_t b) {
    static_assert(sums == 32 || sums == 64, "64 or 128 columns");
    if constexpr (std::is_same_v<T, __half>) {
        WGMMA_REGISTERS_OF_TYPE("f16.f16");
    } else {
        WGMMA_REGISTERS_OF_TYPE("bf16.bf16");
    }
}
#endif
