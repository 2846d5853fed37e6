// How cuda::atomic, cuda::barrier and their relatives wait, in kernels and, where CUDA allows it, on the host.
#pragma once

#include <chrono>
#include <thread>

#include "cuda_runtime.h"

// What follows is hidden, as all of this is (see keywords.h). A struct of the reader's with a cuda::atomic in it is
// not, and g++ would warn of that wherever there is one.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wattributes"
#endif

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse(const char* function, Location where,
                                                          const std::string& why) {
    const std::string what = std::string(function) + " at " + text(where) + ": " + why;
    if (in_kernel) fail(what);
    throw std::runtime_error("CUDA on CPU: " + what);
}

// Waits until done() holds. On the host another host thread makes it hold.
template <class Done>
void wait_anywhere(Done done, const char* function, Location where) {
    if (in_kernel) return wait_until(done, function, where);
    while (!done()) std::this_thread::yield();
}

// To be called in what a loop may consist of that waits for another thread: others have their turn now and then.
inline void look_again(const char* function, Location where) {
    if (in_kernel) spin(function, where);
}

// For functions that look whether a wait is over, once and once more after others have had their turn, or until then.
// They have it at once: nothing else ends the wait.
template <class Done>
bool try_until(Done done, std::chrono::steady_clock::time_point end, const char* function, Location where) {
    while (!done()) {
        give_turn(function, where);
        if (done()) return true;
        if (std::chrono::steady_clock::now() >= end) return false;
    }
    return true;
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
