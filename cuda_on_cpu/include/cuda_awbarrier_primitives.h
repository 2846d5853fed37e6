// __mbarrier_*(): a barrier in shared memory, where arriving and waiting are two steps.
#pragma once

#include "cuda_on_cpu/mbarrier.h"

using __mbarrier_t = uint64_t;
using __mbarrier_token_t = uint64_t;

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

inline Mbarrier& mbarrier(__mbarrier_t* barrier) { return *reinterpret_cast<Mbarrier*>(barrier); }

}  // namespace cuda_on_cpu

inline uint32_t __mbarrier_maximum_count() { return cuda_on_cpu::Mbarrier::max; }

inline void __mbarrier_init(__mbarrier_t* barrier, uint32_t expected, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::mbarrier(barrier).init(expected, "__mbarrier_init()", where);
}

inline void __mbarrier_inval(__mbarrier_t* barrier) { cuda_on_cpu::mbarrier(barrier).valid = 0; }

inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier, cuda_on_cpu::Location where = {}) {
    return cuda_on_cpu::mbarrier(barrier).arrive(1, false, "__mbarrier_arrive()", where);
}

inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier, cuda_on_cpu::Location where = {}) {
    return cuda_on_cpu::mbarrier(barrier).arrive(1, true, "__mbarrier_arrive_and_drop()", where);
}

// How many were still expected when the token was given.
inline uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
    return cuda_on_cpu::Mbarrier::pending_of(token);
}

// Whether the phase is over in which the token was given.
inline bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool parity, cuda_on_cpu::Location where = {}) {
    return cuda_on_cpu::mbarrier(barrier).try_wait(parity, {}, "__mbarrier_test_wait()", where);
}
inline bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token, cuda_on_cpu::Location where = {}) {
    return __mbarrier_test_wait_parity(barrier, cuda_on_cpu::Mbarrier::parity_of(token), where);
}

// The same, and waits for a while.
inline bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool parity, uint32_t nanoseconds,
                                       cuda_on_cpu::Location where = {}) {
    return cuda_on_cpu::mbarrier(barrier).try_wait(parity, std::chrono::nanoseconds(nanoseconds),
                                                   "__mbarrier_try_wait()", where);
}
inline bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, uint32_t nanoseconds,
                                cuda_on_cpu::Location where = {}) {
    return __mbarrier_try_wait_parity(barrier, cuda_on_cpu::Mbarrier::parity_of(token), nanoseconds, where);
}

#pragma GCC visibility pop
