// A thread that uses an address without memory, overflows its stack or divides an integer by 0 ends its launch. The
// system would end the process. (AddressSanitizer also does so, and says more.)
#pragma once

#include <pthread.h>
#include <signal.h>

#include "cuda_on_cpu/backtrace.h"
#include "cuda_on_cpu/resident.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// As long as it lives, the signals of a fault switch from a kernel's thread to the host's stack, and never back. One at
// a time.
class Faults {
public:
#ifndef CUDA_ON_CPU_ASAN
    Faults() {
        launches_ = pthread_self();
        stack_t stack = {};
        stack.ss_sp = stack_, stack.ss_size = sizeof stack_;  // the thread's own may be full
        sigaltstack(&stack, &stack_before_);
        struct sigaction action = {};
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (int i = 0; i < COUNT; i++) sigaction(SIGNALS[i], &action, &before_[i]);
    }
    ~Faults() {
        for (int i = 0; i < COUNT; i++) sigaction(SIGNALS[i], &before_[i], nullptr);
        sigaltstack(&stack_before_, nullptr);
    }
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;
#endif

    static bool has_ended_a_thread() { return signal_ != 0; }

    [[gnu::cold]] static std::runtime_error error() {
        const auto bottom = uintptr_t(self->fiber->stack());
        std::string what = format("has used the address 0x%zx, where no memory is", size_t(address_));
        if (signal_ == SIGFPE)
            what = "has divided an integer by 0; a GPU goes on with some number";
        else if (address_ < bottom && bottom - address_ <= uintptr_t(sysconf(_SC_PAGESIZE)))
            what = format("needs more than %zu KB of stack", self->fiber->stack_bytes() / 1024);
        else if (!has_address_)
            what = "has used an address that is not aligned for its type, or that no memory can have";
#ifdef CUDA_ON_CPU_MEMORY_CHECK
        const std::string where = cuda_on_cpu_recorder::first_line(place_.pc, place_.count);
        if (!where.empty()) what += "; it was at " + where;
#else
        if (signal_ != SIGFPE) what += "; the memory check names the line";
#endif
        signal_ = 0;
        return std::runtime_error(format("CUDA on CPU: kernel %s was ended: thread %s of block %s %s", block.kernel,
                                         text(self->index).c_str(), text(blockIdx).c_str(), what.c_str()));
    }

private:
#ifndef CUDA_ON_CPU_ASAN
    static void handle(int number, siginfo_t* info, void*) {
        if (!on_fiber || !pthread_equal(launches_, pthread_self())) {  // not of a kernel: what was there before does it
            for (int i = 0; i < COUNT; i++)
                if (SIGNALS[i] == number) sigaction(number, &before_[i], nullptr);
            return;  // to the instruction, which faults again
        }
        signal_ = number, address_ = uintptr_t(info->si_addr);
        has_address_ = info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
#ifdef CUDA_ON_CPU_MEMORY_CHECK
        place_.take();
#endif
        self->fiber->switch_to(host, true);
    }

    static constexpr int COUNT = 3;
    static constexpr int SIGNALS[COUNT] = {SIGSEGV, SIGBUS, SIGFPE};
    static inline struct sigaction before_[COUNT];
    static inline stack_t stack_before_;
    static inline char stack_[64 * 1024];
    static inline pthread_t launches_;
#endif
    static inline volatile int signal_;  // that has ended a thread
    static inline uintptr_t address_;
    static inline Backtrace place_;
    static inline bool has_address_;  // x86 tells none where an address is not aligned
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
