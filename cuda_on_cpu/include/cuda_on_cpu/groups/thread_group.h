// thread_group, the type that any group can be passed as, and thread_block.
#pragma once

#include "cuda_on_cpu/barrier.h"

#pragma GCC visibility push(hidden)

namespace cooperative_groups {

// Knows which group it stands for. It is copied by value, and only the threads of the group have one.
class thread_group {
public:
    unsigned long long size() const;
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const;
    void sync(cuda_on_cpu::Location where = {}) const;
    unsigned get_type() const { return type_; }

protected:
    enum Type { coalesced = 1, grid = 3, block = 4, cluster = 6 };  // CUDA's numbers
    explicit thread_group(Type type, uint32_t mask = 0, unsigned meta_rank = 0, unsigned meta_size = 1)
        : type_(type), mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

    Type type_;
    uint32_t mask_;                   // of type coalesced: the lanes
    unsigned meta_rank_, meta_size_;  // and which of how many groups this is of those that a larger group was cut into

    friend thread_group tiled_partition(const thread_group&, unsigned, cuda_on_cpu::Location);
};

template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {};  // for GPUs before compute capability 8.0

class thread_block : public thread_group {
public:
    struct arrival_token {};

    static void sync(cuda_on_cpu::Location where = {}) { cuda_on_cpu::barrier("block.sync()", false, where); }
    static arrival_token barrier_arrive() { return {}; }
    static void barrier_wait(arrival_token&&,
                             cuda_on_cpu::Location where = {}) {  // as in CUDA, the whole barrier is here
        cuda_on_cpu::barrier("block.barrier_wait()", false, where);
    }

    static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned size() { return num_threads(); }
    static unsigned thread_rank() { return cuda_on_cpu::self->rank; }
    static dim3 dim_threads() { return blockDim; }
    static dim3 group_dim() { return blockDim; }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }

private:
    thread_block() : thread_group(block) {}
    friend thread_block this_thread_block();
};

inline thread_block this_thread_block() { return {}; }
template <unsigned MaxBlockSize>
thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
    return this_thread_block();
}

}  // namespace cooperative_groups

#pragma GCC visibility pop
