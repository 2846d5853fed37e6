// nvcuda::experimental::pipeline: the class around __pipeline_*(). cuda::pipeline (<cuda/pipeline>) has taken its
// place.
#pragma once

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#pragma GCC visibility push(hidden)

namespace nvcuda::experimental {

class pipeline {
    size_t commits_ = 0;

public:
    pipeline() = default;
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;

    size_t commit() {
        __pipeline_commit();
        return commits_++;
    }
    void commit_and_wait() {
        commit();
        wait_prior<0>();
    }
    void wait(size_t batch) {
        __pipeline_wait_prior(commits_ > batch ? commits_ - batch : 0);
    }  // CUDA's own arithmetic
    template <unsigned prior>
    void wait_prior() {
        __pipeline_wait_prior(prior);
    }
    void arrive_on(awbarrier& barrier, cuda_on_cpu::Location where = {}) {
        __pipeline_arrive_on(&barrier.barrier_, where);
    }
};

template <class T>
void memcpy_async(T& to, const T& from, pipeline&, cuda_on_cpu::Location where = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    cuda_on_cpu::copy_async(&to, &from, int(sizeof(T)), int(sizeof(T)), where);
}

// The same for 4, 8 or 16 bytes of an array: segment<4>(p) is the first four elements. What the source lacks becomes 0.
template <size_t n, class T>
auto segment(T* p) -> T (*)[n] {
    return reinterpret_cast<T(*)[n]>(p);
}
template <class T, size_t to_n, size_t from_n>
void memcpy_async(T (*to)[to_n], const T (*from)[from_n], pipeline&, cuda_on_cpu::Location where = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(sizeof *to == 4 || sizeof *to == 8 || sizeof *to == 16, "a segment has 4, 8 or 16 bytes");
    static_assert(from_n <= to_n, "the source is larger than the destination");
    cuda_on_cpu::copy_async_checked("memcpy_async()", to, from, sizeof *to, sizeof *from, where);
}

}  // namespace nvcuda::experimental

#pragma GCC visibility pop
