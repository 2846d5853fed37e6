// Inline PTX: bulk copies and TMA (bulk_copy.h has the rules), fences between proxies, clusters.
#pragma once

#include "cuda_on_cpu/bulk_copy.h"
#include "cuda_on_cpu/ptx.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

// ---- bulk copies ---------------------------------------------------------------------------------------------------
template <size_t N>
struct TensorPlace {  // [map, {x, y}]
    const void* map;
    std::array<int, N> corner;
};
template <class... T>
TensorPlace<sizeof...(T)> tensor_place(const void* map, T... corner) {
    return {map, {{int(corner)...}}};
}

template <size_t N>
void tma_load(char* to, TensorPlace<N> from, char* barrier, Location where = {}) {
    tensor_load(to, from.map, from.corner, barrier, -1, where);
}
template <size_t N>
void tma_multicast(char* to, TensorPlace<N> from, char* barrier, u16 mask, Location where = {}) {
    tensor_load(to, from.map, from.corner, barrier, mask, where);
}
template <size_t N>
void tma_store(TensorPlace<N> to, char* from, Location where = {}) {
    tensor_store(to.map, to.corner, from, where);
}
inline void bulk_load(char* to, const char* from, u32 bytes, char* barrier, Location where = {}) {
    cuda_on_cpu::bulk_load(to, from, bytes, barrier, -1, where);
}
inline void bulk_multicast(char* to, const char* from, u32 bytes, char* barrier, u16 mask, Location where = {}) {
    cuda_on_cpu::bulk_load(to, from, bytes, barrier, mask, where);
}
inline void bulk_to_cluster(char* to, const char* from, u32 bytes, char* barrier, Location where = {}) {
    cuda_on_cpu::bulk_to_cluster(to, from, bytes, barrier, where);
}
inline void bulk_store(char* to, const char* from, u32 bytes, Location where = {}) {
    cuda_on_cpu::bulk_store(to, from, bytes, where);
}
inline void bulk_commit_group() { bulk_commit(); }
inline void bulk_wait_group(s32 groups_left) { bulk_wait(groups_left); }
inline void fence_proxy_async() { fence_async_proxy(); }
inline void fence_mbarrier_init() { fence_barrier_init(); }

template <class T>
void st_async(char* to, T value, char* barrier, Location where = {}) {
    barrier_at(barrier).store(to, &value, sizeof value, "st.async", where);
}

// ---- clusters ------------------------------------------------------------------------------------------------------
inline void barrier_cluster_arrive(Location where = {}) { cluster_arrive_with_release(where); }
inline void barrier_cluster_arrive_relaxed(Location where = {}) { cluster_arrive(where); }
inline void barrier_cluster_wait(Location where = {}) { cluster_wait("barrier.cluster.wait", where); }

template <class T>
T mapa_shared(T address, u32 rank) {
    if (rank >= cluster_size()) fail("mapa: the cluster has no block of rank " + std::to_string(rank));
    return (address & shared_address_mask) | rank << rank_shift;
}
inline u64 mapa_generic(u64 pointer, u32 rank) {
    return reinterpret_cast<uintptr_t>(map_shared_rank(reinterpret_cast<void*>(pointer), rank));
}
template <class T>
u32 getctarank_shared(T address) {
    return u32(address) >> rank_shift;
}
inline u32 getctarank_generic(u64 pointer) { return query_shared_rank(reinterpret_cast<void*>(pointer)); }

namespace special {

inline u32 cluster_ctarank() { return cluster_rank(); }
inline u32 cluster_nctarank() { return cluster_size(); }
#define CUDA_ON_CPU_AXES(name, function)           \
    inline u32 name##_x() { return function().x; } \
    inline u32 name##_y() { return function().y; } \
    inline u32 name##_z() { return function().z; }
CUDA_ON_CPU_AXES(cluster_ctaid, cluster_block_index)
CUDA_ON_CPU_AXES(cluster_nctaid, cluster_dim)
CUDA_ON_CPU_AXES(clusterid, cluster_index)
CUDA_ON_CPU_AXES(nclusterid, grid_in_clusters)
#undef CUDA_ON_CPU_AXES

}  // namespace special

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
