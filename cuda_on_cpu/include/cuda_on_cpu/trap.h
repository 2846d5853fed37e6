// __trap() and a failed assert() end the launch. The next launch works: on a GPU none does, until the process ends.
#pragma once

#include <errno.h>

#include "cuda_on_cpu/resident.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

struct Trap {
    cudaError_t error;
};

// No destructor runs in the thread that calls, as on a GPU: it is left for ever.
[[noreturn, gnu::cold, gnu::noinline]] inline void end_launch(cudaError_t error) {
    first_error = std::make_exception_ptr(Trap{error});
    self->fiber->switch_to(host, true);
    abort();  // never reached
}

}  // namespace cuda_on_cpu

[[noreturn]] inline void __trap() { cuda_on_cpu::end_launch(cudaErrorLaunchFailure); }

// <assert.h>, whenever it is included, declares and calls __assert_fail(): from here on under this name. In a kernel it
// prints CUDA's message, on the host the usual one.
extern "C" [[noreturn, gnu::cold, gnu::noinline]] inline void cuda_on_cpu_assert_fail(const char* expression,
                                                                                      const char* file, unsigned line,
                                                                                      const char* function) noexcept {
    if (cuda_on_cpu::in_kernel) {
        fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
                function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, expression);
        cuda_on_cpu::end_launch(cudaErrorAssert);
    }
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    abort();
}
#define __assert_fail cuda_on_cpu_assert_fail

#pragma GCC visibility pop
