// What a program with a main() tells the command that has started it (programs.py): the mistakes of its launches, which
// of them CUDA has refused, and how it ended. Otherwise an exception that nobody catches, and a segmentation fault, end
// in the system's words and a core dump. Only programs.py defines CUDA_ON_CPU_PROGRAM. A library for the memory check
// tells of its mistakes, and in any other library nothing of this is left.
#pragma once

#include "cuda_on_cpu/backtrace.h"

namespace cuda_on_cpu {
#if defined CUDA_ON_CPU_PROGRAM || defined CUDA_ON_CPU_MEMORY_CHECK
// Appends to the report: what it is about, a line end, the text, and a 0.
[[gnu::visibility("hidden")]] inline void tell(const char* what, const char* text) {
    const char* path = getenv("CUDA_ON_CPU_REPORT");
    FILE* report = path ? fopen(path, "a") : nullptr;
    if (!report) return;
    fprintf(report, "%s\n%s%c", what, text, 0);
    fclose(report);
}
#else
inline void tell(const char*, const char*) {}
#endif
}  // namespace cuda_on_cpu

#ifndef CUDA_ON_CPU_PROGRAM
namespace cuda_on_cpu {
inline void tell_places(const char*, const Backtrace&) {}
inline void refused(const char*) {}
inline void asked() {}
inline void still_runs(const char*, double) {}
inline void take_interrupts(void (*)()) {}
}  // namespace cuda_on_cpu
#else

#include <cxxabi.h>
#include <dlfcn.h>
#include <signal.h>

#include <utility>

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Tells which places of the program these are, as addr2line wants them.
inline void tell_places(const char* what, const Backtrace& calls) {
    std::string places;
    Dl_info image, own;
    for (unsigned i = 0; i < calls.count; i++)
        if (dladdr(calls.pc[i], &image) && dladdr(reinterpret_cast<void*>(tell), &own) &&
            image.dli_fbase == own.dli_fbase)
            places += std::to_string(uintptr_t(calls.pc[i]) - 1 - uintptr_t(image.dli_fbase)) + " ";
    tell(what, places.c_str());
}

// Nobody sees that CUDA has refused kernel<<<...>>>() unless the program asks for its last error. So each host thread
// tells of the first such launch, and takes it back when the program asks.
inline thread_local bool has_refused = false;
inline void refused(const char* text) {
    if (!std::exchange(has_refused, true)) tell("refused", text);
}
inline void asked() {
    if (std::exchange(has_refused, false)) tell("asked", "");
}

// On stderr, and from a signal's handler.
inline void still_runs(const char* kernel, double seconds) {
    char text[256];
    const int length = snprintf(
        text, sizeof text,
        "CUDA on CPU: kernel %.100s is still running, after %.0f s; Ctrl-C ends it and shows where its threads are\n",
        kernel, seconds);
    [[maybe_unused]] const ssize_t written = write(2, text, std::min(size_t(length), sizeof text - 1));
}

// Ctrl-C during a launch calls this, which has the launch end with where its threads are; else it ends the program.
inline void (*on_interrupt)() = nullptr;
inline void interrupted(int number) {
    signal(number, SIG_DFL);  // a second one ends the program at once
    if (on_interrupt) return on_interrupt();
    raise(number);
}
inline void take_interrupts(void (*call)()) {
    static const bool is_taken = [] {
        struct sigaction before;
        sigaction(SIGINT, nullptr, &before);
        return getenv("CUDA_ON_CPU_REPORT") && before.sa_handler == SIG_DFL && signal(SIGINT, interrupted) != SIG_ERR;
    }();
    on_interrupt = is_taken ? call : nullptr;
}

// From the program's first moment on: tells of what would end it.
class Endings {
public:
    Endings() {
        if (!getenv("CUDA_ON_CPU_REPORT")) return;
        terminate_before_ = std::set_terminate(uncaught);
        static char stack[64 * 1024];
        stack_t own = {};
        own.ss_sp = stack, own.ss_size = sizeof stack;  // the thread's may be full
        sigaltstack(&own, nullptr);
        struct sigaction action = {}, before;
        action.sa_handler = crashed;
        action.sa_flags = int(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
            sigaction(number, nullptr, &before);  // AddressSanitizer has its own, and says more
            if (before.sa_handler == SIG_DFL) sigaction(number, &action, nullptr);
        }
    }

private:
    static inline std::terminate_handler terminate_before_;

    [[noreturn]] static void uncaught() {
        const std::type_info* type = abi::__cxa_current_exception_type();
        if (!type) terminate_before_();
        int failed;
        const char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &failed);
        if (failed) name = type->name();
        try {
            throw;
        } catch (const std::exception& error) {
            tell(name, error.what());
        } catch (...) {
            tell(name, "");
        }
        fflush(nullptr);  // what the program has printed
        _Exit(1);
    }

    static void crashed(int number) {
        Backtrace calls;
        calls.take();
        tell_places("crash", calls);
        fflush(nullptr);
        raise(number);
    }
};
inline const Endings endings;

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
#endif
