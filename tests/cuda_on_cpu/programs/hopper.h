// For the programs about TMA and wgmma: a function an instruction, and tensor maps. Needs compute capability 9.0.
#pragma once
#include "expect.h"
#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

// ---- mbarriers -----------------------------------------------------------------------------------------------------
__device__ inline void barrier_init(uint64_t* bar, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(bar)), "r"(count) : "memory");
}
__device__ inline void barrier_expect(uint64_t* bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(bar)), "r"(bytes) : "memory");
}
__device__ inline void barrier_arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared(bar)) : "memory");
}
__device__ inline void barrier_arrive_at(uint64_t* bar, uint32_t rank) {  // in that block of the cluster
    asm volatile(
        "{ .reg .b32 there;\n mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(shared(bar)),
        "r"(rank)
        : "memory");
}
__device__ inline void barrier_wait(uint64_t* bar, uint32_t parity) {
    asm volatile(
        "{ .reg .pred over;\n again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
        "@!over bra again;\n}" ::"r"(shared(bar)),
        "r"(parity)
        : "memory");
}
__device__ inline void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- TMA of two dimensions -----------------------------------------------------------------------------------------
__device__ inline void tma_load(void* to, const CUtensorMap* map, uint64_t* bar, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared(to)),
        "l"(map), "r"(shared(bar)), "r"(x), "r"(y)
        : "memory");
}
__device__ inline void tma_multicast(void* to, const CUtensorMap* map, uint64_t* bar, int x, int y, uint16_t mask) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared(to)),
        "l"(map), "r"(shared(bar)), "r"(x), "r"(y), "h"(mask)
        : "memory");
}
__device__ inline void tma_store(const CUtensorMap* map, const void* from, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(shared(from)), "r"(x), "r"(y)
                 : "memory");
}
__device__ inline void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ inline void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ inline void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

// ---- clusters ------------------------------------------------------------------------------------------------------
__device__ inline uint32_t rank_in_cluster() {
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- the host ------------------------------------------------------------------------------------------------------
using Encode = decltype(&cuTensorMapEncodeTiled);
inline Encode driver_encode() {
    static const Encode found = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult result;
        EXPECT(cudaFree(nullptr) == cudaSuccess);  // makes a context, without which the driver refuses every map
        EXPECT(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                                &result) == cudaSuccess);
        EXPECT(result == cudaDriverEntryPointSuccess);
        return reinterpret_cast<Encode>(function);
    }();
    return found;
}

// A map of any rank. Sizes, strides (of all dimensions but the first) and the box begin with the innermost dimension.
inline CUresult encode(CUtensorMap* map, CUtensorMapDataType type, unsigned rank, void* p, const cuuint64_t* sizes,
                       const cuuint64_t* strides, const cuuint32_t* box, CUtensorMapSwizzle swizzle) {
    const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
    return driver_encode()(map, type, rank, p, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
inline CUtensorMap matrix_map(CUtensorMapDataType type, void* p, unsigned element, unsigned columns, unsigned rows,
                              unsigned box_columns, unsigned box_rows, CUtensorMapSwizzle swizzle) {
    static CUtensorMap map;  // on the stack g++ may not align what is returned
    const cuuint64_t sizes[] = {columns, rows}, strides[] = {cuuint64_t(columns) * element};
    const cuuint32_t box[] = {box_columns, box_rows};
    EXPECT(encode(&map, type, 2, p, sizes, strides, box, swizzle) == CUDA_SUCCESS);
    return map;
}

// The same random numbers everywhere.
struct Random {
    uint32_t state = 12345;
    unsigned below(unsigned n) {
        state = state * 1664525 + 1013904223;
        return (state >> 8) % n;
    }
};
