// A block from start to end: what a fiber does, and what happens when no thread can go on.
#pragma once

#include "cuda_on_cpu/fault.h"
#include "cuda_on_cpu/messages.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Runs a thread, and after it others, until no thread of the block can go on or the block's turn is over.
inline void run_fiber(Fiber& fiber) {
    on_fiber = true;
    host.switch_to(fiber);
    CUDA_ON_CPU_RECORD(nobody_runs());
    on_fiber = false;
}

CUDA_ON_CPU_UNRECORDED inline void fiber_body() {
    Fiber& fiber = block.fibers[block.fibers_used - 1];
    fiber.arrived();
    try {
        block.run_threads(block.launch, fiber);
    } catch (Abandoned) {
    } catch (...) {
        first_error = std::current_exception();
        block.abandoned = true;
    }
    fiber.switch_to(next_fiber(), true);
}

// ---- when something is wrong: messages.h says what -----------------------------------------------------------------

// Lets every thread that waits leave by an exception, one after another.
[[gnu::cold]] inline void abandon_all() {
    for_each_resident([](Resident& r) {
        enter_block(r);
        block.abandoned = true;
        for (unsigned rank = 0; rank < block.size; rank++)
            if (warp_of(block.threads[rank]).suspended() & block.threads[rank].bit())
                run_fiber(*block.threads[rank].fiber);
        block.abandoned = false;
    });
    first_error = nullptr;
    end_clusters(true);
}

// ---- what ends when no thread can go on ----------------------------------------------------------------------------

// A lane in __activemask() waits for no lane in particular. When no thread of the block can go on any more, the lanes
// of a warp that wait in the same __activemask() are the ones that a GPU would have found there together.
inline bool end_activemask() {
    bool found = false;
    for (unsigned w = 0; w * 32 < block.size; w++) {
        Warp& warp = block.warps[w];
        const Thread* leader = nullptr;
        uint32_t together = 0;
        for (unsigned l = 0; l < 32; l++) {
            if (!(warp.at_activemask >> l & 1)) continue;
            const Thread& t = block.threads[w * 32 + l];
            if (!leader) leader = &t;
            if (!(t.where != leader->where)) together |= 1u << l;
        }
        if (!together) continue;
        for (unsigned l = 0; l < 32; l++)
            if (together >> l & 1) warp.result[l] = together;
        warp.at_activemask ^= together;
        make_ready(warp, together);
        found = true;
    }
    return found;
}

// The threads in wait_until() whose condition holds by now can go on, and those that only gave others a turn. Says
// whether some condition holds.
inline bool wake() {
    bool found = false;
    for (unsigned w = 0; w * 32 < block.size; w++) {
        Warp& warp = block.warps[w];
        uint32_t lanes = 0;
        for (uint32_t left = warp.at_condition; left; left &= left - 1) {
            Thread& t = block.threads[w * 32 + __builtin_ctz(left)];
            self = &t, threadIdx = t.index;
            if (t.done && !t.done(t.condition)) continue;
            lanes |= t.bit();
            found |= t.done != nullptr;
        }
        warp.at_condition ^= lanes;
        if (lanes) make_ready(warp, lanes);
    }
    return found;
}

// ---- a block's turn ------------------------------------------------------------------------------------------------

enum class Turn {
    returned,  // all its threads have
    got_on,    // some thread has returned or started, or what it waited for has come
    busy,      // nothing of the kind, but some threads have run
    spins,     // they may only spin
    waits,     // all wait, some of them for a condition, which another block can make true
    stuck,     // all wait for one another
};

// The thread after the one that had the last such turn.
inline Fiber& fair_fiber() {
    const unsigned warps = (block.size + 31) / 32;
    for (unsigned i = 0; i <= warps; i++) {
        const unsigned w = block.fair_turn++ % (warps + 1);
        if (w == warps && block.started < block.size) return new_fiber();
        if (w < warps && block.warps[w].ready) return ready_fiber(w);
    }
    return next_fiber();
}

inline Turn take_turn() {
    const unsigned alive = block.alive, started = block.started;
    const bool woken = wake();
    bool ran = false;
    Fiber* fiber = block.turn_over ? &fair_fiber() : &next_fiber();
    do {
        waits_left = many_waits, spins_left = many_spins;
        block.turn_over = false;
        if (fiber != &host) ran = true, run_fiber(*fiber);
        if (first_error) std::rethrow_exception(first_error);
        if (Watchdog::has_ended_a_thread()) throw timeout(true);
        if (Faults::has_ended_a_thread()) throw Faults::error();
        if (block.alive == 0) {
            if (grid.running->stores) throw returned_too_early();
            return Turn::returned;
        }
    } while (!block.turn_over && end_activemask() && (fiber = &next_fiber()));

    if (woken || block.alive != alive || block.started != started) return Turn::got_on;
    bool spins = block.turn_over && spins_left < many_spins, waits = false;
    for (unsigned w = 0; w * 32 < block.size; w++)
        for (uint32_t left = block.warps[w].at_condition; left; left &= left - 1)
            (block.threads[w * 32 + __builtin_ctz(left)].done ? waits : spins) = true;
    if (spins) return Turn::spins;
    if (ran) return Turn::busy;  // what others wait for may have come
    return waits ? Turn::waits : Turn::stuck;
}

// ---- blocks side by side -------------------------------------------------------------------------------------------

// Runs the blocks that are alive by turns until all have returned. Where they wait for a block that has not started, it
// is started: at once if no thread can go on, else when nothing but spinning has happened for long.
inline void run_side_by_side() {
    constexpr unsigned many = 1000;
    unsigned limit = many, quiet = 0;  // rounds in which threads did nothing but spin
    for (end_clusters(false); grid.alive_count > 0; end_clusters(false)) {
        bool seen[6] = {};
        for (unsigned c = 0; c < grid.alive_count; c++)
            for (unsigned i = 0; i < cluster_size(); i++) {
                Resident& r = *grid.alive[c]->blocks[block.reverse ? cluster_size() - 1 - i : i];
                if (block_of(r).alive == 0) continue;
                enter_block(r);
                seen[int(take_turn())] = true;
            }
        const auto some = [&](Turn turn) { return seen[int(turn)]; };
        if (some(Turn::returned) || some(Turn::got_on)) {
            quiet = 0;
            Watchdog::got_on();
            continue;
        }
        if (Watchdog::out_of_time()) throw timeout(false);
        if (some(Turn::busy)) continue;
        if (some(Turn::spins) && quiet++ < limit) continue;
        if (may_start_cluster() && (some(Turn::spins) || some(Turn::waits))) {
            start_cluster();
            quiet = 0, limit = 10;  // this grid is one whose blocks wait for one another
        } else if (!some(Turn::spins) || (quiet > many && all_look_at_barriers())) {
            throw deadlock();
        }
    }
}

// Runs one block after another, until one of them waits for another block.
inline void run_alone() {
    Cluster& c = *grid.alive[0];
    enter_block(*c.blocks[0]);
    while (take_turn() == Turn::returned && grid.started < grid.clusters) {
        begin_block(block, nth_index(grid.started++, gridDim));
        c.phase.begin();
        blockIdx = block.index;
    }
}

inline void run_blocks() {
    try {
        while (grid.started < grid.clusters) {
            start_cluster();
            while (grid.cooperative && grid.started < grid.clusters) start_cluster();
            if (!grid.cooperative && cluster_size() == 1) run_alone();
            run_side_by_side();
        }
    } catch (...) {
        abandon_all();
        throw;
    }
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
