// Asynchronous copies of one thread: started, put into groups, waited for.
#pragma once

#include "cuda_awbarrier_primitives.h"
#include "cuda_on_cpu/async_copy.h"

#pragma GCC visibility push(hidden)

// The last `zeros` bytes of the destination become 0 instead.
inline void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zeros = 0,
                                    cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::copy_async_checked("__pipeline_memcpy_async()", shared, global, int(bytes), int(bytes) - int(zeros),
                                    where);
}

inline void __pipeline_commit() { cuda_on_cpu::commit_async(); }

// Waits for the groups that this thread has committed, but for the latest `prior`.
inline void __pipeline_wait_prior(size_t prior) { cuda_on_cpu::wait_async(int(prior)); }

// The barrier's present phase does not end before the copies that this thread has started.
inline void __pipeline_arrive_on(__mbarrier_t* barrier, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::mbarrier(barrier).add_copies("__pipeline_arrive_on()", where);
}

#pragma GCC visibility pop
