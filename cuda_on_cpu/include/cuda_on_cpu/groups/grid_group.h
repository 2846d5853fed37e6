// grid_group and cluster_group: the threads of several blocks. On their barriers and on the shared memory of other
// blocks see cuda_on_cpu/grid.h.
#pragma once

#include "cuda_on_cpu/grid.h"
#include "cuda_on_cpu/groups/thread_group.h"

#pragma GCC visibility push(hidden)

namespace cooperative_groups {

namespace details {

inline unsigned long long volume(dim3 v) { return 1ull * v.x * v.y * v.z; }
inline unsigned long long linear(dim3 i, dim3 n) { return i.x + (i.y + 1ull * i.z * n.y) * n.x; }
inline dim3 in_threads(dim3 blocks) { return {blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z}; }
inline dim3 thread_of_block(dim3 block) {
    const dim3 first = in_threads(block);
    return {first.x + threadIdx.x, first.y + threadIdx.y, first.z + threadIdx.z};
}

}  // namespace details

class grid_group : public thread_group {
public:
    using arrival_token = unsigned;

    bool is_valid() const { return cuda_on_cpu::is_cooperative(); }
    void sync(cuda_on_cpu::Location where = {}) const { cuda_on_cpu::grid_sync(where); }
    arrival_token barrier_arrive(cuda_on_cpu::Location where = {}) const {
        cuda_on_cpu::grid_arrive(where);
        return 0;
    }
    void barrier_wait(arrival_token&&, cuda_on_cpu::Location where = {}) const {
        cuda_on_cpu::grid_wait("grid.barrier_wait()", where);
    }

    static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static dim3 dim_threads() { return details::in_threads(gridDim); }
    static dim3 thread_index() { return details::thread_of_block(blockIdx); }

    static unsigned long long num_blocks() { return details::volume(gridDim); }
    static unsigned long long block_rank() { return details::linear(blockIdx, gridDim); }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 group_dim() { return gridDim; }
    static dim3 block_index() { return blockIdx; }

    static unsigned long long num_clusters() { return details::volume(dim_clusters()); }
    static unsigned long long cluster_rank() { return details::linear(cluster_index(), dim_clusters()); }
    static dim3 dim_clusters() { return cuda_on_cpu::grid_in_clusters(); }
    static dim3 cluster_index() { return cuda_on_cpu::cluster_index(); }

private:
    grid_group() : thread_group(grid) {}
    friend grid_group this_grid();
};

inline grid_group this_grid() { return {}; }

class cluster_group : public thread_group {
public:
    struct arrival_token {};

    static void sync(cuda_on_cpu::Location where = {}) { cuda_on_cpu::cluster_sync(where); }
    static arrival_token barrier_arrive(cuda_on_cpu::Location where = {}) {
        cuda_on_cpu::cluster_arrive(where);
        return {};
    }
    static void barrier_wait(cuda_on_cpu::Location where = {}) {
        cuda_on_cpu::cluster_wait("cluster.barrier_wait()", where);
    }
    static void barrier_wait(arrival_token&&, cuda_on_cpu::Location where = {}) { barrier_wait(where); }

    template <class T>
    static T* map_shared_rank(T* pointer, int rank) {
        return static_cast<T*>(cuda_on_cpu::map_shared_rank(pointer, unsigned(rank)));
    }
    static unsigned query_shared_rank(const void* pointer) { return cuda_on_cpu::query_shared_rank(pointer); }

    static unsigned num_threads() { return num_blocks() * thread_block::size(); }
    static unsigned size() { return num_threads(); }
    static unsigned thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
    static dim3 dim_threads() { return details::in_threads(dim_blocks()); }
    static dim3 thread_index() { return details::thread_of_block(block_index()); }

    static unsigned num_blocks() { return cuda_on_cpu::cluster_size(); }
    static unsigned block_rank() { return cuda_on_cpu::cluster_rank(); }
    static dim3 dim_blocks() { return cuda_on_cpu::cluster_dim(); }
    static dim3 block_index() { return cuda_on_cpu::cluster_block_index(); }

private:
    cluster_group() : thread_group(cluster) {}
    friend cluster_group this_cluster();
};

inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups

#pragma GCC visibility pop
