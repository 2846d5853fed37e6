// Where a signal has interrupted this host thread: for messages.
#pragma once

#include <unwind.h>

#include "cuda_on_cpu/recorder.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Return addresses, the innermost function's first. That one was interrupted: its address is 1 more than that of the
// instruction, so that all are to be looked up 1 lower.
struct Backtrace {
    const void* pc[32] = {};
    unsigned count = 0;

    CUDA_ON_CPU_UNRECORDED void take() {  // in the signal's handler
        count = 0;
        _Unwind_Backtrace(
            [](_Unwind_Context* frame, void* to) CUDA_ON_CPU_UNRECORDED {
                auto& [pc, count] = *static_cast<Backtrace*>(to);
                int is_interrupted = 0;
                const uintptr_t at = _Unwind_GetIPInfo(frame, &is_interrupted);
                if (is_interrupted || count) pc[count++] = reinterpret_cast<void*>(at + is_interrupted);
                return count < 32 ? _URC_NO_REASON : _URC_END_OF_STACK;
            },
            this);
    }
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
