// What a launch says that cannot go on: which threads wait, where, and for what.
#pragma once

#include "cuda_on_cpu/resident.h"
#include "cuda_on_cpu/watchdog.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// "31 threads wait in __syncthreads() at a.cu:7, the first is (1, 0, 0); 1 thread waits in ..."
[[gnu::cold]] inline std::string who_waits() {
    struct Place {
        std::string name;
        unsigned count;
        std::string first;
        bool spins;
    };
    std::vector<Place> places;
    unsigned blocks = 0;
    const auto add = [&](const Resident& r, const Block& b, const Thread& t, const Warp& warp) {
        std::string name = t.function;
        if (t.looks_at.barrier) name += t.looks_at.lacks(r, t.looks_at.barrier, t.looks_at.parity);
        if (warp.at_warp & t.bit()) name += format(" with mask 0x%08x", warp.mask[t.lane()]);
        name += " at " + text(t.where, t);
        const bool spins = warp.at_condition & t.bit() && !t.done;
        for (Place& place : places)
            if (place.name == name && place.spins == spins) return void(place.count++);
        places.push_back({name, 1, text(t.index) + " of block " + text(b.index), spins});
    };
    for_each_resident([&](const Resident& r) {
        const Block& b = block_of(r);
        blocks += b.alive > 0;
        for (unsigned rank = 0; b.alive > 0 && rank < b.size; rank++) {
            const Warp& warp = b.warps[rank / 32];
            if (warp.suspended() & b.threads[rank].bit()) add(r, b, b.threads[rank], warp);
        }
    });

    std::string message;
    for (const Place& place : places)
        message += format("%s%u thread%s %s%s in %s, the first is %s", message.empty() ? "" : "; ", place.count,
                          place.count == 1 ? "" : "s", place.spins ? "spin" : "wait", place.count == 1 ? "s" : "",
                          place.name.c_str(), place.first.c_str());
    const auto returned = unsigned(grid.started * cluster_size() - blocks);
    if (returned && (grid.cooperative || cluster_size() > 1))
        message += format("; %u block%s returned", returned, returned == 1 ? " has" : "s have");
    if (const unsigned long long left = (grid.clusters - grid.started) * cluster_size())
        message +=
            (left == 1 ? "; the block that follows starts" : format("; the %llu blocks that follow start", left)) +
            (blocks == 1 ? " when this one has returned" : format(" when one of these %u has returned", blocks));
    return message;
}

[[gnu::cold]] inline std::runtime_error deadlock() {
    std::string where = block.kernel;
    if (grid.alive_count * cluster_size() == 1) where += ", block " + text(blockIdx);
    return std::runtime_error("CUDA on CPU: deadlock in kernel " + where + ": no thread can go on: " + who_waits());
}

[[gnu::cold]] inline std::runtime_error timeout(bool running) {
    std::string why = "no thread has got on: ", where;
    if (running) {
        why = format("thread %s of block %s has run and given no other a turn", text(self->index).c_str(),
                     text(blockIdx).c_str());
#ifdef CUDA_ON_CPU_MEMORY_CHECK
        where = cuda_on_cpu_recorder::first_line(Watchdog::ended_at().pc, Watchdog::ended_at().count);
#else
        tell_places("endless", Watchdog::ended_at());  // programs.py appends the same
#endif
    } else {
        why += who_waits();
    }
    const std::string what = Watchdog::is_interrupted()
                                 ? format("CUDA on CPU: kernel %s was interrupted: %s", block.kernel, why.c_str())
                                 : format(
                                       "CUDA on CPU: kernel %s was ended: for %g s %s (CUDA_ON_CPU_TIMEOUT sets the "
                                       "seconds, 0 for no limit)",
                                       block.kernel, Watchdog::limit(), why.c_str());
    return std::runtime_error(where.empty() ? what : what + "; it was at " + where);
}

// On a GPU they might meet the next block's shared memory.
[[gnu::cold]] inline std::runtime_error returned_too_early() {
    const Resident& r = *grid.running;
    return std::runtime_error(
        format("CUDA on CPU: kernel %s: block %s has returned, and has not waited for %u copies (st.async, "
               "cp.async.bulk) into or out of its shared memory, the last at %s",
               block.kernel, text(blockIdx).c_str(), r.stores, text(r.last_store).c_str()));
}

// Whether all threads that spin look at barrier objects, and no other can go on. Then nothing ends that.
inline bool all_look_at_barriers() {
    bool all = true;
    for_each_resident([&](const Resident& r) {
        const Block& b = block_of(r);
        all &= b.alive == 0 || b.started == b.size;
        for (unsigned rank = 0; b.alive > 0 && rank < b.size; rank++) {
            const Warp& warp = b.warps[rank / 32];
            const Thread& t = b.threads[rank];
            if (warp.ready & t.bit()) all = false;
            if (warp.at_condition & t.bit() && !t.done) all &= t.looks_at.barrier != nullptr;
        }
    });
    return all;
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
