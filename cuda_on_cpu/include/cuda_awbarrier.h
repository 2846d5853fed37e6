// nvcuda::experimental::awbarrier: the class around __mbarrier_*(). cuda::barrier (<cuda/barrier>) has taken its place.
#pragma once

#include "cuda_awbarrier_primitives.h"

#pragma GCC visibility push(hidden)

namespace nvcuda::experimental {

class awbarrier {
    __mbarrier_t barrier_;
    friend class pipeline;

public:
    using Location = cuda_on_cpu::Location;

    class arrival_token {
        __mbarrier_token_t token_;
        friend class awbarrier;
        explicit arrival_token(__mbarrier_token_t token) : token_(token) {}

    public:
        arrival_token() = default;
        uint32_t pending_count() const { return __mbarrier_token_pending_count(token_); }
    };

    awbarrier() = default;
    awbarrier(const awbarrier&) = delete;
    awbarrier& operator=(const awbarrier&) = delete;

    arrival_token arrive(Location where = {}) { return arrival_token(__mbarrier_arrive(&barrier_, where)); }
    arrival_token arrive_and_drop(Location where = {}) {
        return arrival_token(__mbarrier_arrive_and_drop(&barrier_, where));
    }
    void wait(arrival_token token, Location where = {}) {
        cuda_on_cpu::mbarrier(&barrier_).wait(cuda_on_cpu::Mbarrier::parity_of(token.token_), "awbarrier::wait()",
                                              where);
    }
    void arrive_and_wait(Location where = {}) { wait(arrive(where), where); }
    bool try_wait(arrival_token token, uint32_t nanoseconds, Location where = {}) {
        return __mbarrier_try_wait(&barrier_, token.token_, nanoseconds, where);
    }
    bool try_wait_parity(bool parity, uint32_t nanoseconds, Location where = {}) {
        return __mbarrier_try_wait_parity(&barrier_, parity, nanoseconds, where);
    }
    bool timed_wait(arrival_token token, uint32_t cycles, Location where = {}) {
        return try_wait(token, cycles, where);
    }
    bool timed_wait_parity(bool parity, uint32_t cycles, Location where = {}) {
        return try_wait_parity(parity, cycles, where);
    }
    static constexpr uint32_t max() { return cuda_on_cpu::Mbarrier::max; }

    friend void init(awbarrier* barrier, uint32_t expected, Location where = {}) {
        __mbarrier_init(&barrier->barrier_, expected, where);
    }
    friend void inval(awbarrier* barrier) { __mbarrier_inval(&barrier->barrier_); }
};

}  // namespace nvcuda::experimental

#pragma GCC visibility pop
