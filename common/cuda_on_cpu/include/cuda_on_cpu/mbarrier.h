// A barrier as an object of 8 bytes: what cuda::barrier, awbarrier and PTX's mbarrier are made of.
//
// A phase ends when as many threads have arrived as the barrier expects, and when the bytes have come that a bulk copy
// was announced with. Then the next phase begins. Asynchronous copies may belong to a phase: a GPU carries them out at
// any time before a thread has seen the phase's end; here it is when the first thread sees it.
#pragma once

#include <map>

#include "cuda_on_cpu/async_copy.h"
#include "cuda_on_cpu/waiting.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Copies that belong to a phase of a barrier: those of one thread up to a number.
struct CopiesOfPhase {
    unsigned phase;
    AsyncCopies* copies;
    uint64_t end;
};

struct __attribute__((may_alias)) Mbarrier {
    uint64_t valid : 1;      // between init() and invalidate()
    uint64_t phase : 2;      // the last bits of its number
    uint64_t expected : 20;  // how many arrive in each phase
    uint64_t pending : 20;   // of them, still to come
    int64_t bytes : 21;      // still to come, of bulk copies; negative: they came before they were announced

    static constexpr unsigned max = (1 << 20) - 1;

    void init(ptrdiff_t count, const char* function, Location where) {
        if (reinterpret_cast<uintptr_t>(this) % 8 != 0)
            refuse(function, where, "the barrier is not aligned to 8 bytes");
        if (count < 1 || count > max)
            refuse(function, where, "a barrier expects 1 to 1048575 threads, not " + std::to_string(count));
        *this = {1, 0, unsigned(count), unsigned(count), 0};
        all_copies().erase(key());
    }

    // Gives the state before, which tells a wait what phase is meant.
    uint64_t arrive(ptrdiff_t count, bool drop, const char* function, Location where) {
        check(function, where);
        if (count < 1 || uint64_t(count) > pending)
            refuse(function, where,
                   std::to_string(count) + " threads arrive, and " + std::to_string(pending) +
                       " are still expected of " + std::to_string(expected));
        const uint64_t before = bits();
        CUDA_ON_CPU_RECORD(release(this));
        pending -= unsigned(count);
        if (drop) expected -= unsigned(count);
        end_phase_if_complete();
        return before;
    }

    // Whether the phase ends when that many threads arrive.
    bool is_last(ptrdiff_t count) const { return uint64_t(count) == pending && bytes == 0; }

    // Announces bytes of bulk copies, or (negative) has them come.
    void expect_bytes(ptrdiff_t more, const char* function, Location where) {
        check(function, where);
        if (more > max || more < -ptrdiff_t(max) || bytes + more > max || bytes + more < -ptrdiff_t(max))
            refuse(function, where, "a barrier counts up to 1048575 bytes");
        bytes += more;
        end_phase_if_complete();
    }

    static bool parity_of(uint64_t state) { return from_bits(state).phase % 2; }
    static unsigned pending_of(uint64_t state) { return from_bits(state).pending; }

    // Waits until the phase with that parity is over. It is the present phase or the one before.
    void wait(bool parity, const char* function, Location where) {
        check(function, where);
        wait_anywhere([this, parity] { return phase % 2 != parity; }, function, where);
        CUDA_ON_CPU_RECORD(acquire(this));
        carry_out_copies();
    }

    // The same, but not for longer than `time`; whether it is over.
    bool try_wait(bool parity, std::chrono::nanoseconds time, const char* function, Location where) {
        check(function, where);
        const auto end = std::chrono::steady_clock::now() + time;
        if (!try_until([this, parity] { return phase % 2 != parity; }, end, function, where)) return false;
        CUDA_ON_CPU_RECORD(acquire(this));
        carry_out_copies();
        return true;
    }

    // The copies that this thread has started so far belong to the present phase.
    void add_copies(Engine engine, const char* function, Location where) {
        check(function, where);
        if (copies_at_once()) return;  // they have been carried out
        AsyncCopies& mine = my_async_copies(engine);
        std::deque<CopiesOfPhase>& all = all_copies()[key()];
        carry_out(all);
        if (all.empty() || all.back().copies != &mine) all.push_back({unsigned(phase), &mine, 0});
        all.back().end = mine.end();
    }

    void check(const char* function, Location where) const {
        if (!valid) refuse(function, where, "the barrier has no expected count: init() comes first");
    }

private:
    uint64_t bits() const {
        uint64_t state;
        memcpy(&state, this, sizeof state);
        return state;
    }
    static Mbarrier from_bits(uint64_t state) {
        Mbarrier barrier;
        memcpy(static_cast<void*>(&barrier), &state, sizeof barrier);
        return barrier;
    }

    void end_phase_if_complete() {
        if (pending != 0 || bytes != 0) return;
        phase++;
        pending = expected;
    }

    // By the barrier's address, and its block: several blocks may have shared memory at the same address.
    using Key = std::pair<const Mbarrier*, uint64_t>;
    Key key() const {
        return {this, blockIdx.x + uint64_t(gridDim.x) * (blockIdx.y + uint64_t(gridDim.y) * blockIdx.z)};
    }
    static std::map<Key, std::deque<CopiesOfPhase>>& all_copies() {
        static std::map<Key, std::deque<CopiesOfPhase>> all;
        static uint64_t launch = 0;
        if (launch != launch_number) all.clear();
        launch = launch_number;
        return all;
    }

    void carry_out(std::deque<CopiesOfPhase>& all) const {  // those of phases that are over: they come first
        for (; !all.empty() && all.front().phase != phase; all.pop_front())
            all.front().copies->carry_out(all.front().end);
    }
    void carry_out_copies() const {
        const auto found = all_copies().find(key());
        if (found == all_copies().end()) return;
        carry_out(found->second);
        if (found->second.empty()) all_copies().erase(found);
    }
};
static_assert(sizeof(Mbarrier) == 8, "as on a GPU");

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
