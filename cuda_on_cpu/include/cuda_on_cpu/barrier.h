// __syncthreads(): a thread waits until all threads of its block that have not returned wait there.
#pragma once

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_divergent(const char* function, Location where) {
    fail(std::string("waits in ") + function + " at " + text(where) + " while other threads of the block wait at " +
         text(block.barrier_place) + "; all threads of a block must reach the same one");
}

CUDA_ON_CPU_UNRECORDED inline void barrier(const char* function, bool vote, Location where) {
    // CUDA demands that all threads of a block reach the same __syncthreads(). A GPU may let two different ones pass as
    // one, or hang; here it is an error.
    if (block.at_barrier == 0) block.barrier_place = where;
    if (where != block.barrier_place) fail_divergent(function, where);
    CUDA_ON_CPU_RECORD(reaches_barrier(block.warps, block.at_barrier == 0));

    Warp& warp = warp_of(*self);
    warp.at_barrier |= self->bit();
    block.at_barrier++;
    block.votes += vote;
    open_barrier_if_complete();
    suspend(function, where);
}

}  // namespace cuda_on_cpu

inline void __syncthreads(cuda_on_cpu::Location where = {}) { cuda_on_cpu::barrier("__syncthreads()", false, where); }

inline int __syncthreads_count(int predicate, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::barrier("__syncthreads_count()", predicate != 0, where);
    return cuda_on_cpu::block.yes;
}

inline int __syncthreads_and(int predicate, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::barrier("__syncthreads_and()", predicate != 0, where);
    return cuda_on_cpu::block.yes == cuda_on_cpu::block.passed;
}

inline int __syncthreads_or(int predicate, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::barrier("__syncthreads_or()", predicate != 0, where);
    return cuda_on_cpu::block.yes > 0;
}

// Memory fences order what other threads see. Here one thread runs at a time, and all see the same memory. The compiler
// may not keep a value in a register across a fence, and a loop with a fence may wait for another thread.
inline void __threadfence(cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::spin("__threadfence()", where);
    asm volatile("" ::: "memory");
    CUDA_ON_CPU_RECORD(fence());
}
inline void __threadfence_block(cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::spin("__threadfence_block()", where);
    asm volatile("" ::: "memory");
    CUDA_ON_CPU_RECORD(fence());
}
inline void __threadfence_cluster(cuda_on_cpu::Location where = {}) { __threadfence(where); }
inline void __threadfence_system(cuda_on_cpu::Location where = {}) { __threadfence(where); }

#pragma GCC visibility pop
