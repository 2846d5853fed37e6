// One block of threads: which thread runs, which wait, and what for.
//
// A thread runs until it returns or has to wait for others. Then the next one has its turn: the first that was woken
// up, else the first that has not started. A thread that returns lets the next one start on the same stack, so a kernel
// that never waits is a plain loop on one stack. A thread that waits keeps its stack, and the next one starts on a new.
// When no thread can go on, run_block.h looks at those that wait for a condition, and at the other blocks.
#pragma once

#include "cuda_on_cpu/error.h"
#include "cuda_on_cpu/fiber.h"
#include "cuda_on_cpu/vector_types.h"

// A place in a .cu. As the default value of an argument it is the place of the call.
struct CudaOnCpuLocation {
    const char* file;
    int line;
    const char* function;
    constexpr CudaOnCpuLocation(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                const char* function = __builtin_FUNCTION())
        : file(file), line(line), function(function) {}
    CUDA_ON_CPU_UNRECORDED bool operator!=(const CudaOnCpuLocation& o) const {
        return line != o.line || (file != o.file && strcmp(file, o.file) != 0);
    }
};

#pragma GCC visibility push(hidden)

// The variables that a kernel reads. They are set whenever another thread's turn comes.
inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace cuda_on_cpu {

using Location = CudaOnCpuLocation;
struct Resident;
struct Warp;
using Combine = void (*)(Warp& warp, uint32_t lanes);  // works out the results of a warp function, see warp.h

// The barrier object at which a thread looks again and again, and what says what that barrier lacks: mbarrier.h.
struct LooksAt {
    const void* barrier;
    bool parity;
    std::string (*lacks)(const Resident&, const void* barrier, bool parity);
};

// The latest call of a function with PTX: callers.py marks them.
struct CalledAt {
    const char* function;
    Location where;
};

struct Thread {
    uint3 index;
    unsigned rank;         // in the block: x first
    Fiber* fiber;          // the stack it runs on
    const char* function;  // what it waits in, and where: for messages
    Location where;
    // In wait_until(): whether the wait is over. Null: it only gives others a turn.
    bool (*done)(const void* condition);
    const void* condition;
    LooksAt looks_at;
    const void* said_no_at;  // the barrier object that has told it no at once, until it says yes
    CalledAt called;
    unsigned grid_phase, cluster_phase;  // of the barriers between blocks where it has arrived, see grid.h

    CUDA_ON_CPU_UNRECORDED uint32_t lane() const { return rank % 32; }
    CUDA_ON_CPU_UNRECORDED uint32_t bit() const { return 1u << lane(); }
};

// Sets of lanes are bits of a word, as in CUDA's own masks.
struct Warp {
    uint32_t alive;          // not returned yet
    uint32_t ready;          // woken up, waiting for their turn
    uint32_t at_barrier;     // waiting in __syncthreads()
    uint32_t at_activemask;  // waiting in __activemask()
    uint32_t at_condition;   // waiting in wait_until(), or giving others a turn
    uint32_t at_warp;        // waiting in another warp function, which fills in a row of the tables below
    uint32_t mask[32];
    Combine combine[32];
    uint64_t value[32], result[32];
    uint32_t source[32];
    uint32_t meetings[5];  // with other warps, in thread_block_tile<64> to <1024>

    uint32_t suspended() const { return ready | at_barrier | at_activemask | at_condition | at_warp; }
};

struct Block {
    const char* kernel;                  // its name
    void (*run_threads)(void*, Fiber&);  // a fiber's work: calls the kernel, thread after thread
    void* launch;                        // the kernel and its arguments
    bool reverse;                        // CUDA_REVERSE: the last thread first

    uint3 index;             // blockIdx
    unsigned size;           // threads
    unsigned started;        // of them
    unsigned alive;          // not returned yet
    unsigned at_barrier;     // waiting in __syncthreads()
    unsigned votes;          // of those, with a predicate that holds: __syncthreads_count()
    unsigned passed, yes;    // the last barrier's final at_barrier and votes
    Location barrier_place;  // where those wait that have come so far
    uint32_t ready_warps;    // those with ready lanes
    unsigned fibers_used;
    unsigned fair_turn;  // whose turn it is when the order above starves a thread: a warp's, or a new thread's
    bool turn_over;      // this block has run for long: others first
    bool abandoned;      // something went wrong: every thread is to leave

    Thread* threads;  // [1024]
    Warp* warps;      // [32]
    Fiber* fibers;    // [1024]
};

struct Room {  // what a block needs that is alive
    Thread threads[1024];
    Warp warps[32];
    Fiber fibers[1024];
};
inline Room first_room;

inline Block block;                     // the block that runs; run_block.h keeps the others
inline Fiber host;                      // the stack of the launch itself
inline volatile bool on_fiber;          // a thread of the kernel runs, not the launch itself
inline Thread* self;                    // the thread that runs
inline uint64_t launch_number;          // tells a thread from one of an earlier launch
inline std::exception_ptr first_error;  // what went wrong

struct Abandoned {};  // thrown in a thread that waits when its block is given up, so that its destructors run

// As printf(). Sums of strings would take the compiler several times as long.
[[gnu::cold, gnu::noinline, gnu::format(printf, 1, 2)]] inline std::string format(const char* pattern, ...) {
    char* text = nullptr;
    va_list values;
    va_start(values, pattern);
    const int length = vasprintf(&text, pattern, values);
    va_end(values);
    std::string result(length < 0 ? "" : text);
    if (length >= 0) free(text);
    return result;
}

[[gnu::cold, gnu::noinline]] inline std::string text(uint3 v) { return format("(%u, %u, %u)", v.x, v.y, v.z); }
[[gnu::cold, gnu::noinline]] inline std::string text(Location where, const Thread& thread) {
    const std::string place = format("%s:%d", where.file, where.line);
    const CalledAt& called = thread.called;
    if (!called.function || strcmp(where.function, called.function) != 0) return place;
    return format("%s (%s(), called at %s:%d)", place.c_str(), called.function, called.where.file, called.where.line);
}
[[gnu::cold, gnu::noinline]] inline std::string text(Location where) {
    return on_fiber ? text(where, *self) : format("%s:%d", where.file, where.line);
}
CUDA_ON_CPU_UNRECORDED inline void calls(const char* function, Location where = {}) {
    if (in_kernel) self->called = {function, where};
}

// For mistakes that are certain. The exception ends the launch, and leaves it where the kernel was launched.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(const std::string& what) {
    throw std::runtime_error(format("CUDA on CPU: kernel %s, block %s, thread %s: %s", block.kernel,
                                    text(blockIdx).c_str(), text(self->index).c_str(), what.c_str()));
}

CUDA_ON_CPU_UNRECORDED inline unsigned first(uint32_t set) {
    return block.reverse ? 31 - __builtin_clz(set) : __builtin_ctz(set);
}

CUDA_ON_CPU_UNRECORDED inline Warp& warp_of(const Thread& thread) { return block.warps[thread.rank / 32]; }

CUDA_ON_CPU_UNRECORDED inline void make_ready(Warp& warp, uint32_t lanes) {
    warp.ready |= lanes;
    block.ready_warps |= 1u << (&warp - block.warps);
}

// ---- which thread runs next ----------------------------------------------------------------------------------------

inline void fiber_body();

CUDA_ON_CPU_UNRECORDED inline Fiber& ready_fiber(unsigned w) {
    const unsigned lane = first(block.warps[w].ready);
    block.warps[w].ready ^= 1u << lane;
    if (!block.warps[w].ready) block.ready_warps ^= 1u << w;
    return *block.threads[w * 32 + lane].fiber;
}

CUDA_ON_CPU_UNRECORDED inline Fiber& new_fiber() {
    Fiber& fiber = block.fibers[block.fibers_used];
    fiber.start(fiber_body, block.fibers_used++);
    return fiber;
}

CUDA_ON_CPU_UNRECORDED inline Fiber& next_fiber() {
    if (block.ready_warps && !block.abandoned) return ready_fiber(first(block.ready_warps));
    if (block.started < block.size && !block.abandoned) return new_fiber();
    return host;  // no thread can go on: run_block.h finds out why
}

// Threads that spin until another writes would starve that other one. So waits are counted, and so is whatever a loop
// that spins may consist of: atomics, fences. After many of them, others have their turn. A kernel that does not spin
// notices nothing.
constexpr int many_waits = 10000, many_spins = 100;
inline int waits_left, spins_left;

[[gnu::cold, gnu::noinline]] inline Fiber& end_turn() {
    block.turn_over = true;
    return host;
}

CUDA_ON_CPU_UNRECORDED inline void record_thread() {
    CUDA_ON_CPU_RECORD(thread_runs(block.warps, self->rank, self->fiber->stack(), self->fiber->stack_bytes()));
}

// Leaves the thread that runs, until another has made it ready and its turn has come.
CUDA_ON_CPU_UNRECORDED inline void suspend() {
    Thread& me = *self;
    Fiber& next = --waits_left < 0 ? end_turn() : next_fiber();
    if (&next != me.fiber) me.fiber->switch_to(next);
    self = &me, threadIdx = me.index;
    record_thread();
    if (block.abandoned) throw Abandoned();
}
CUDA_ON_CPU_UNRECORDED inline void suspend(const char* function, Location where) {
    self->function = function, self->where = where;
    suspend();
}

// Waits until done() holds: other threads run meanwhile. done() is called when no thread of the block can go on, with
// this thread's `threadIdx` but on another stack. It must depend on nothing but memory: if it holds for nobody, and no
// other thread can go on, that is a deadlock, and the message names `function`.
template <class Done>
void wait_until(Done done, const char* function, Location where) {
    if (done()) return;
    self->done = [](const void* condition) -> bool { return (*static_cast<const Done*>(condition))(); };
    self->condition = &done;
    warp_of(*self).at_condition |= self->bit();
    suspend(function, where);
}

[[gnu::cold, gnu::noinline]] inline void give_turn(const char* function, Location where) {
    spins_left = many_spins;
    if (!in_kernel) return;
    self->done = nullptr;
    warp_of(*self).at_condition |= self->bit();
    suspend(function, where);
}

// To be called in whatever a loop may consist of that waits for another thread's write.
CUDA_ON_CPU_UNRECORDED inline void spin(const char* function = "a loop", Location where = {}) {
    if (--spins_left < 0) give_turn(function, where);
}

CUDA_ON_CPU_UNRECORDED inline bool start_thread(Fiber& fiber) {
    if (block.ready_warps || block.started == block.size) return false;
    const unsigned rank = block.reverse ? block.size - 1 - block.started : block.started;
    block.started++;
    self = &block.threads[rank];
    self->fiber = &fiber;
    threadIdx = self->index;
    record_thread();
    return true;
}

// ---- when a thread's wait ends -------------------------------------------------------------------------------------

// A barrier opens when every thread that has not returned waits there.
CUDA_ON_CPU_UNRECORDED inline void open_barrier_if_complete() {
    if (block.at_barrier == 0 || block.at_barrier < block.alive) return;
    block.passed = block.at_barrier, block.yes = block.votes;
    block.at_barrier = block.votes = 0;
    CUDA_ON_CPU_RECORD(block_barrier(block.warps, block.passed));
    for (unsigned w = 0; w * 32 < block.size; w++) {
        Warp& warp = block.warps[w];
        if (warp.at_barrier) make_ready(warp, warp.at_barrier);
        warp.at_barrier = 0;
    }
}

// A warp function ends when every lane of its mask that has not returned waits in the same one, with the same mask.
CUDA_ON_CPU_UNRECORDED inline void end_warp_function_if_complete(Warp& warp, unsigned lane) {
    const uint32_t mask = warp.mask[lane], lanes = mask & warp.alive;
    if (lanes & ~warp.at_warp) return;
    for (unsigned l = 0; l < 32; l++)
        if (lanes >> l & 1 && (warp.mask[l] != mask || warp.combine[l] != warp.combine[lane])) return;
    warp.combine[lane](warp, lanes);
    warp.at_warp ^= lanes;
    make_ready(warp, lanes);
}

CUDA_ON_CPU_UNRECORDED inline void end_thread() {
    Warp& warp = warp_of(*self);
    warp.alive ^= self->bit();
    block.alive--;
    if (!warp.alive) CUDA_ON_CPU_RECORD(warp_returns(block.warps, self->rank / 32));
    // Threads that have returned do not count, so this may have been the last one that others waited for.
    if (block.at_barrier) open_barrier_if_complete();
    for (uint32_t left = warp.at_warp; left; left &= left - 1)
        if (warp.at_warp & left & -left) end_warp_function_if_complete(warp, __builtin_ctz(left));
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
