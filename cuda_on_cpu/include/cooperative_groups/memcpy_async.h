// cooperative_groups::memcpy_async(): the threads of a group copy together, and wait together.
#pragma once

#include <cooperative_groups.h>

#include "cuda_on_cpu/group_copy.h"

#pragma GCC visibility push(hidden)

namespace cooperative_groups {

// Each call is a group of copies of its own: there is no commit.
template <class Group, class T, class Size>
void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::copy_async_by_group("cooperative_groups::memcpy_async()", group, to, from, bytes, where);
    cuda_on_cpu::commit_async();
}

// The same in elements: as many as both have room for.
template <class Group, class T, class ToCount, class FromCount>
void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from, const FromCount& from_count,
                  cuda_on_cpu::Location where = {}) {
    const size_t bytes = std::min(size_t(to_count), size_t(from_count)) * sizeof(T);
    memcpy_async(group, to, from, bytes, where);
}

// Waits for the calls so far, but for the latest `prior`.
template <unsigned prior, class Group>
void wait_prior(const Group& group) {
    cuda_on_cpu::wait_async(prior);
    group.sync();
}
template <class Group>
void wait(const Group& group) {
    wait_prior<0>(group);
}

}  // namespace cooperative_groups

#pragma GCC visibility pop
