// A block from start to end: what a fiber does, and what happens when no thread can go on.
#pragma once

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

inline void fiber_body() {
    Fiber& fiber = block.fibers[block.fibers_used - 1];
    fiber.arrived();
    try {
        block.run_threads(block.launch, fiber);
    } catch (Abandoned) {
    } catch (...) {
        first_error = std::current_exception();
        block.abandoned = true;
    }
    fiber.switch_to(block.abandoned ? host : next_fiber(), true);
}

// "no thread can go on: 31 threads wait in __syncthreads() at a.cu:7, the first is (1, 0, 0); 1 thread waits in ..."
inline std::string deadlock_message() {
    struct Place {
        unsigned count;
        const Thread* first;
    };
    std::map<std::string, Place> places;
    for (unsigned rank = 0; rank < block.size; rank++) {
        const Thread& t = block.threads[rank];
        if (!(warp_of(t).suspended() & t.bit())) continue;
        std::string place = t.function;
        if (warp_of(t).at_warp & t.bit()) {
            char mask[32];
            snprintf(mask, sizeof mask, " with mask 0x%08x", warp_of(t).mask[t.lane()]);
            place += mask;
        }
        place += " at " + text(t.where);
        places.insert({place, {0, &t}}).first->second.count++;
    }
    std::string message = "CUDA on CPU: deadlock in kernel " + std::string(block.kernel) + ", block " + text(blockIdx) +
                          ": no thread can go on";
    const char* separator = ": ";
    for (const auto& [place, threads] : places) {
        message += separator + std::to_string(threads.count) +
                   (threads.count == 1 ? " thread waits in " : " threads wait in ") + place + ", the first is " +
                   text(threads.first->index);
        separator = "; ";
    }
    return message;
}

// Lets every thread that waits leave by an exception, one after another, and reports what went wrong.
[[noreturn]] inline void give_up() {
    block.abandoned = true;
    for (unsigned rank = 0; rank < block.size; rank++)
        if (warp_of(block.threads[rank]).suspended() & block.threads[rank].bit())
            host.switch_to(*block.threads[rank].fiber);
    block.abandoned = false;
    std::exception_ptr error;
    std::swap(error, first_error);
    std::rethrow_exception(error);
}

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

// The threads in wait_until() whose condition holds by now can go on, and those that only gave others a turn.
inline bool wake() {
    bool found = false;
    for (unsigned w = 0; w * 32 < block.size; w++) {
        Warp& warp = block.warps[w];
        uint32_t lanes = 0;
        for (uint32_t left = warp.at_condition; left; left &= left - 1) {
            Thread& t = block.threads[w * 32 + __builtin_ctz(left)];
            self = &t, threadIdx = t.index;
            if (!t.done || t.done(t.condition)) lanes |= t.bit();
        }
        warp.at_condition ^= lanes;
        if (lanes) make_ready(warp, lanes), found = true;
    }
    return found;
}

inline void run_block() {
    block.alive = block.size;
    block.started = block.fibers_used = block.at_barrier = block.votes = block.ready_warps = 0;
    for (unsigned w = 0; w * 32 < block.size; w++) {
        Warp& warp = block.warps[w];
        warp.alive = block.size - w * 32 >= 32 ? ~0u : (1u << block.size % 32) - 1;
        warp.ready = warp.at_barrier = warp.at_activemask = warp.at_condition = warp.at_warp = 0;
    }
    do {
        patience = full_patience;
        block.turn_over = false;
        host.switch_to(next_fiber());
        // Here again: all threads have returned, or none can go on, or one has thrown.
        if (block.alive == 0) return;
    } while (!first_error && (end_activemask() || wake() || block.turn_over));
    if (!first_error) first_error = std::make_exception_ptr(std::runtime_error(deadlock_message()));
    give_up();
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
