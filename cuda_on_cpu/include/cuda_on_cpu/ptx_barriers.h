// Inline PTX: barriers of a block's threads, and fences.
#pragma once

#include <map>

#include "cuda_on_cpu/mbarrier.h"
#include "cuda_on_cpu/ptx.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

// ---- the 16 barriers of a block, each for as many threads as its instructions say ----------------------------------
struct NumberedBarrier {
    u32 arrived = 0, phase = 0;
    u32 yes = 0, passed = 0, said_yes = 0;  // bar.red: so far; in the last phase, of all that it had
};

inline NumberedBarrier& numbered_barrier(u32 number) {
    static std::map<u64, std::array<NumberedBarrier, 16>> of_blocks;
    static uint64_t launch = 0;
    if (launch != launch_number) of_blocks.clear(), launch = launch_number;
    return of_blocks[blockIdx.x + u64(gridDim.x) * (blockIdx.y + u64(gridDim.y) * blockIdx.z)][number];
}

inline NumberedBarrier& arrive_at_barrier(const char* name, u32 number, u32 threads, Location where) {
    if (number > 15 || threads == 0 || threads % 32 != 0)
        fail(std::string(name) + " at " + text(where) + ": barriers have numbers up to 15 and are for whole warps");
    NumberedBarrier& barrier = numbered_barrier(number);
    CUDA_ON_CPU_RECORD(release(&barrier));
    if (++barrier.arrived >= std::min(threads, block.size)) {
        barrier.passed = barrier.arrived, barrier.said_yes = barrier.yes;
        barrier.arrived = barrier.yes = 0, barrier.phase++;
    }
    return barrier;
}

inline void bar_arrive(u32 number, u32 threads, Location where = {}) {
    arrive_at_barrier("bar.arrive", number, threads, where);
}
// The barrier as the phase has left it. The next one cannot end before all who were there have come once more.
inline NumberedBarrier wait_at_barrier(const char* name, u32 number, u32 threads, bool yes, Location where) {
    const u32 before = number < 16 ? numbered_barrier(number).phase : 0;
    if (number < 16) numbered_barrier(number).yes += yes;
    const NumberedBarrier& barrier = arrive_at_barrier(name, number, threads, where);
    wait_until([&barrier, before] { return barrier.phase != before; }, name, where);
    CUDA_ON_CPU_RECORD(acquire(&barrier));
    return barrier;
}
inline void bar_sync(u32 number, u32 threads, Location where = {}) {
    wait_at_barrier("bar.sync", number, threads, false, where);
}
inline void bar_sync(u32 number, Location where = {}) {
    if (number == 0) return __syncthreads(where);
    bar_sync(number, (block.size + 31) / 32 * 32, where);
}

// How many of the threads there said yes; whether all did, or one.
inline NumberedBarrier vote_at_barrier(u32 number, u32 threads, bool yes, Location where) {
    return wait_at_barrier("bar.red", number, threads, yes, where);
}
inline u32 whole_block() { return (block.size + 31) / 32 * 32; }
inline u32 bar_red_popc(u32 number, u32 threads, bool yes, Location where = {}) {
    return vote_at_barrier(number, threads, yes, where).said_yes;
}
inline bool bar_red_and(u32 number, u32 threads, bool yes, Location where = {}) {
    const NumberedBarrier barrier = vote_at_barrier(number, threads, yes, where);
    return barrier.said_yes == barrier.passed;
}
inline bool bar_red_or(u32 number, u32 threads, bool yes, Location where = {}) {
    return vote_at_barrier(number, threads, yes, where).said_yes != 0;
}
inline u32 bar_red_popc(u32 number, bool yes, Location where = {}) {
    return number ? bar_red_popc(number, whole_block(), yes, where) : u32(__syncthreads_count(yes, where));
}
inline bool bar_red_and(u32 number, bool yes, Location where = {}) {
    return number ? bar_red_and(number, whole_block(), yes, where) : __syncthreads_and(yes, where) != 0;
}
inline bool bar_red_or(u32 number, bool yes, Location where = {}) {
    return number ? bar_red_or(number, whole_block(), yes, where) : __syncthreads_or(yes, where) != 0;
}

// ---- barriers in shared memory: mbarrier.h has the rules -----------------------------------------------------------
inline void mbarrier_init(char* p, u32 count, Location where = {}) {
    own_barrier_at(p, "mbarrier.init", where).init(count, "mbarrier.init", where);
}
inline void mbarrier_inval(char* p) { memset(p, 0, 8); }
inline u64 mbarrier_arrive(char* p, u32 count, Location where = {}) {
    return barrier_at(p).arrive(count, false, "mbarrier.arrive", where);
}
inline u64 mbarrier_arrive(char* p, Location where = {}) { return mbarrier_arrive(p, 1, where); }
inline u64 mbarrier_arrive_drop(char* p, u32 count, Location where = {}) {
    return barrier_at(p).arrive(count, true, "mbarrier.arrive_drop", where);
}
inline u64 mbarrier_arrive_drop(char* p, Location where = {}) { return mbarrier_arrive_drop(p, 1, where); }
inline void mbarrier_expect_tx(char* p, u32 bytes, Location where = {}) {
    barrier_at(p).expect_bytes(bytes, "mbarrier.expect_tx", where);
}
inline u64 mbarrier_arrive_expect_tx(char* p, u32 bytes, Location where = {}) {
    mbarrier_expect_tx(p, bytes, where);
    return mbarrier_arrive(p, 1, where);
}

inline bool parity_of(u64 state, const char*, Location) { return Mbarrier::parity_of(state); }
inline bool parity_of(u32 parity, const char* function, Location where) {
    return Mbarrier::parity_of(parity, function, where);
}
template <class T>  // a state, or the parity of a phase
bool mbarrier_test_wait(char* p, T phase, Location where = {}) {
    constexpr char name[] = "mbarrier.test_wait";
    return own_barrier_at(p, name, where).try_wait(parity_of(phase, name, where), {}, name, where);
}
template <class T>  // a GPU may wait for some time, which it does not promise
bool mbarrier_try_wait(char* p, T phase, Location where = {}) {
    constexpr char name[] = "mbarrier.try_wait";
    return own_barrier_at(p, name, where).try_wait(parity_of(phase, name, where), {}, name, where);
}
template <class T>
bool mbarrier_try_wait(char* p, T phase, u32 /* nanoseconds */, Location where = {}) {
    return mbarrier_try_wait(p, phase, where);
}
// All that this thread has started to copy belongs to the phase. The copy also arrives: without .noinc as one more.
inline void cp_async_mbarrier_arrive(char* p, Location where = {}) {
    barrier_at(p).add_copies("cp.async.mbarrier.arrive", where);
}
inline void cp_async_mbarrier_arrive_noinc(char* p, Location where = {}) {
    cp_async_mbarrier_arrive(p, where);
    mbarrier_arrive(p, 1, where);
}

inline void fence() { __threadfence(); }
inline void nanosleep(u32 time) { __nanosleep(time); }
inline void trap() { __trap(); }

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
