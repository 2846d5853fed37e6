// A kernel that never ends is ended: when for a minute of the processor's time no thread has returned and none that
// waited for a condition has got on. CUDA_ON_CPU_TIMEOUT sets the seconds; 0 means no limit.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <utility>

#include "cuda_on_cpu/resident.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// A timer sends a signal many times before the time is up. Most endless loops contain something that gives others a
// turn (see spin()), and end when that finds out_of_time. From a loop with nothing of the kind the last signal switches
// to the host's stack, and never back.
class Watchdog {
public:
    static double limit() {  // in seconds
        const char* seconds = getenv("CUDA_ON_CPU_TIMEOUT");
        return seconds && *seconds ? atof(seconds) : 60;
    }
    static void got_on() {
        if (!is_interrupted_) quiet_ = 0;
    }
    static bool out_of_time() { return quiet_ >= ticks_; }
    static bool is_interrupted() { return is_interrupted_; }
    static const Backtrace& ended_at() { return ended_at_; }
    static bool has_ended_a_thread() { return std::exchange(has_ended_a_thread_, false); }

#ifdef __linux__
    Watchdog() {
        const double seconds = limit();
        if (!(seconds > 0)) return;
        got_on();
        ticks_ = std::max(4u, unsigned(seconds / 5));
        started_at_ = nanoseconds_now(), has_said_ = is_interrupted_ = false;
        static const bool installed = install();
        // CPU time of this thread: a debugger or a busy machine do not count.
        struct sigevent event = {};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = signal_number();
        event.sigev_value.sival_ptr = reinterpret_cast<void*>(tick);
        event._sigev_un._tid = pid_t(syscall(SYS_gettid));
        armed_ = installed && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
        struct itimerspec often = {};
        const int64_t nanoseconds = int64_t(seconds * 1e9) / ticks_ + 1;
        often.it_interval.tv_sec = nanoseconds / 1000000000, often.it_interval.tv_nsec = nanoseconds % 1000000000;
        often.it_value = often.it_interval;
        if (armed_) timer_settime(timer_, 0, &often, nullptr);
        current_ = timer_;
        if (armed_) take_interrupts(interrupt);
    }
    ~Watchdog() {
        take_interrupts(nullptr);
        if (armed_) timer_delete(timer_);
    }

private:
    static int signal_number() { return SIGRTMAX - 3; }

    // The signal's handler belongs to one .so, the launch perhaps to another: the signal brings along what to call.
    static bool install() {
        struct sigaction action = {};
        action.sa_sigaction = [](int, siginfo_t* info, void*) {
            reinterpret_cast<void (*)()>(info->si_value.sival_ptr)();
        };
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
        return sigaction(signal_number(), &action, nullptr) == 0;
    }

    // Ctrl-C: as if the time were up. The next signal comes soon.
    CUDA_ON_CPU_UNRECORDED static void interrupt() {
        is_interrupted_ = true;
        quiet_ = ticks_;
        struct itimerspec soon = {};
        soon.it_value.tv_nsec = soon.it_interval.tv_nsec = 50000000;
        timer_settime(current_, 0, &soon, nullptr);
    }

    CUDA_ON_CPU_UNRECORDED static void tick() {
        const double seconds = (nanoseconds_now() - started_at_) * 1e-9;
        if (seconds >= 10 && !has_said_) has_said_ = true, still_runs(block.kernel, seconds);
        if (grid.alive_count * cluster_size() == 1 && (block.alive != alive_ || block.started != started_)) got_on();
        alive_ = block.alive, started_ = block.started;
        quiet_ = quiet_ + 1;
        if (quiet_ > ticks_ && on_fiber) {
            has_ended_a_thread_ = true;
            ended_at_.take();
            self->fiber->switch_to(host, true);
        }
    }

    bool armed_ = false;
    timer_t timer_;
    static inline timer_t current_;
#endif

private:
    static inline volatile unsigned quiet_;   // signals since something has happened
    static inline unsigned alive_, started_;  // at the last signal
    static inline bool has_ended_a_thread_;
    static inline Backtrace ended_at_;
    static inline unsigned ticks_ = 4;  // signals until the time is up
    static inline int64_t started_at_;
    static inline bool has_said_, is_interrupted_;
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
