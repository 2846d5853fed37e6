// Which accesses are ordered: whether all that one thread did so far happens, on any GPU, before what another does now.
//
// Threads run one at a time here, so all there is has one order in time. It is cut into segments, counted from 1: a
// thread begins a new one whenever it starts to run, and when it releases something. What a thread knows of another is
// then one number: it comes after all segments of the other up to that one. A barrier of a block raises one number for
// all its threads; __syncwarp() those of its lanes; flags, locks and objects carry a table of such numbers along.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "arrays.h"
#include "sites.h"

namespace cuda_on_cpu_recorder {

struct Who {
    uint32_t block;  // the number in this launch, in the order in which they started
    uint32_t rank;
    bool operator==(const Who& o) const { return block == o.block && rank == o.rank; }
};

// Up to which segment each thread, and each block as a whole, is known.
class Clock {
public:
    void raise(Who who, uint32_t segment) { raise(key(who), segment); }
    void raise_block(uint32_t block, uint32_t segment) { raise(key({block, whole}), segment); }
    void join(const Clock& o) {
        if (&o == this) return;
        for (const auto& [key, segment] : o.known_) raise(key, segment);
    }
    bool covers(Who who, uint32_t segment) const {
        return reaches(key(who), segment) || reaches(key({who.block, whole}), segment);
    }
    bool has_block(uint32_t block) const { return known_.count(key({block, whole})) != 0; }
    bool empty() const { return known_.empty(); }
    void clear() { known_.clear(); }

private:
    static constexpr uint32_t whole = 0xffff;
    static uint64_t key(Who who) { return uint64_t(who.block) << 16 | who.rank; }
    void raise(uint64_t key, uint32_t segment) {
        uint32_t& known = known_[key];
        known = std::max(known, segment);
    }
    bool reaches(uint64_t key, uint32_t segment) const {
        const auto found = known_.find(key);
        return found != known_.end() && found->second >= segment;
    }
    std::unordered_map<uint64_t, uint32_t> known_;
};

// What a thread or a block knows by flags, locks and objects. What an atomic or a volatile read has shown it is only
// seen: later accesses may still happen before that read, until a fence follows.
struct Learned {
    Clock known, seen;
    void join(const Learned& o) { known.join(o.known), seen.join(o.seen); }
    void fence() { known.join(seen), seen.clear(); }
    bool empty() const { return known.empty() && seen.empty(); }
    void clear() { known.clear(), seen.clear(); }
};

struct ThreadState {
    uint32_t fenced = 0;  // the segment of its last fence
    Learned extra = {};
    uintptr_t stored = 0;  // where it last wrote a volatile variable in global memory
};

// What a block's threads know, while it is alive.
struct Room {
    unsigned number;  // of the room: several blocks use it, one after another
    uint32_t block = 0;
    unsigned x = 0, y = 0, z = 0;
    uint32_t first = 0;    // segment
    uint32_t barrier = 0;  // all is known up to this segment
    // The same for the lanes of a warp: the last __syncwarp() of all its lanes. What an earlier block leaves here and
    // in `lanes` is older than all that this one does.
    uint32_t warps[32] = {};
    std::unique_ptr<uint32_t[][32]> lanes = {};  // [rank][lane]: by a __syncwarp() of some lanes
    Calls barrier_calls = {};                    // by which the first thread came to the barrier
    unsigned waited = 0;                         // threads at the last barrier
    Learned extra = {};
    std::map<unsigned, ThreadState> threads = {};  // those that have one

    uint32_t known_lane(unsigned rank, unsigned lane) const {
        return std::max(warps[rank / 32], lanes ? lanes[rank][lane] : 0);
    }
};

class Order {
public:
    Room* room = nullptr;  // of the thread that runs
    Who self = {};
    uint32_t segment = 0;  // now
    unsigned threads = 0;  // in a block

    void begin_launch(unsigned block_threads) {
        threads = block_threads;
        first_ = segment, grid_barrier_ = segment;
        who_.clear(), objects_.clear(), blocks_.clear();
        has_extra_ = false;
    }
    void begin_block(Room& r, unsigned x, unsigned y, unsigned z) {
        r.block = uint32_t(blocks_.size());
        r.x = x, r.y = y, r.z = z;
        blocks_.push_back({x, y, z});
        begin_segment({r.block, 0});
        r.first = r.barrier = segment;
        r.waited = 0;
        r.extra.clear(), r.threads.clear();
    }
    void thread_runs(Room& r, unsigned rank) {
        room = &r;
        begin_segment({r.block, rank});
    }

    // Whether it happened before what the running thread does now.
    bool is_ordered(Stamp s) const {
        if (s.segment() <= first_ || s.segment() == segment) return true;
        const Who who = who_[s.segment() - first_ - 1];
        if (who == self || s.segment() <= grid_barrier_) return true;
        if (who.block == self.block) {
            if (s.segment() <= room->barrier) return true;
            if (who.rank / 32 == self.rank / 32 && s.segment() <= room->known_lane(self.rank, who.rank % 32))
                return true;
        }
        return has_learned(&Learned::known, s);
    }
    // Whether an atomic or a volatile read has shown that it happened, and only a fence is missing.
    bool is_seen(Stamp s) const { return has_learned(&Learned::seen, s); }
    // Whether the running thread knows that the block has started: it has waited for one of its threads.
    bool has_met(const Room& r) const {
        if (r.first <= grid_barrier_ || room->extra.known.has_block(r.block)) return true;
        const auto found = room->threads.find(self.rank);
        return found != room->threads.end() && found->second.extra.known.has_block(r.block);
    }
    bool is_of_this_launch(Stamp s) const { return s.segment() > first_; }
    Who who(Stamp s) const { return who_[s.segment() - first_ - 1]; }
    struct Index {
        unsigned x, y, z;
    };
    Index index_of(uint32_t block) const { return blocks_[block]; }

    void block_barrier(Room& r) {
        r.barrier = segment;
        for (auto& [rank, thread] : r.threads) r.extra.join(thread.extra), thread.extra.clear();
    }
    // Whether all lanes of the warp took part.
    bool warp_barrier(Room& r, unsigned warp, uint32_t lanes) {
        const unsigned present = std::min(32u, threads - warp * 32);
        const bool is_whole = lanes == (present == 32 ? ~0u : (1u << present) - 1);
        if (is_whole) {
            r.warps[warp] = segment;
        } else {
            if (!r.lanes) r.lanes.reset(new uint32_t[1024][32]());
            uint32_t all[32] = {};
            const auto for_each = [&](auto f) {
                for (unsigned l = 0; l < 32; l++)
                    if (lanes >> l & 1) f(warp * 32 + l);
            };
            for_each([&](unsigned rank) {
                for (unsigned l = 0; l < 32; l++) all[l] = std::max(all[l], r.lanes[rank][l]);
            });
            for (unsigned l = 0; l < 32; l++)
                if (lanes >> l & 1) all[l] = segment;
            for_each([&](unsigned rank) { std::copy(all, all + 32, r.lanes[rank]); });
        }
        if (!has_extra_) return is_whole;
        Learned joined;
        for (const auto& [rank, thread] : r.threads)
            if (rank / 32 == warp && lanes >> rank % 32 & 1) joined.join(thread.extra);
        if (joined.empty()) return is_whole;
        for (unsigned l = 0; l < present; l++)
            if (lanes >> l & 1) r.threads[warp * 32 + l].extra.join(joined);
        return is_whole;
    }
    void grid_barrier() {
        grid_barrier_ = segment;
        begin_segment(self);  // the thread that came last goes on at once
    }
    void cluster_barrier(const std::vector<Room*>& rooms) {
        has_extra_ = true;
        for (Room* r : rooms)  // each learns of all, itself among them
            for (const Room* other : rooms) r->extra.known.raise_block(other->block, segment);
        begin_segment(self);
    }

    // A flag in memory releases what its writer did before its last fence; an object, all up to now.
    void fence() {
        ThreadState& thread = room->threads[self.rank];
        thread.fenced = segment;
        thread.extra.seen.join(room->extra.seen);  // what another thread has seen before the block's last barrier
        thread.extra.fence();
        begin_segment(self);
    }
    bool has_fenced() const {
        const auto found = room->threads.find(self.rank);
        return found != room->threads.end() && found->second.fenced;
    }
    void release_fenced(const void* object) {
        if (has_fenced()) release(object, room->threads[self.rank].fenced);
    }
    void release(const void* object) {
        release(object, segment);
        begin_segment(self);
    }
    bool is_released(uintptr_t object) const { return objects_.count(reinterpret_cast<const void*>(object)) != 0; }
    void acquire(const void* object) { learn(&Learned::known, object); }
    void see(const void* object) { learn(&Learned::seen, object); }

private:
    void begin_segment(Who who) {
        self = who;
        segment++;
        who_.push_back(who);
    }
    bool has_learned(Clock Learned::* which, Stamp s) const {
        if (!has_extra_) return false;
        const Who who = this->who(s);
        if ((room->extra.*which).covers(who, s.segment())) return true;
        const auto found = room->threads.find(self.rank);
        return found != room->threads.end() && (found->second.extra.*which).covers(who, s.segment());
    }
    void learn(Clock Learned::* which, const void* object) {
        if (objects_.empty()) return;
        const auto found = objects_.find(object);
        if (found == objects_.end()) return;
        (room->threads[self.rank].extra.*which).join(found->second);
        has_extra_ = true;
    }
    void release(const void* object, uint32_t own) {
        Clock& clock = objects_[object];
        clock.raise(self, own);
        clock.raise_block(self.block, room->barrier);
        for (unsigned l = 0; l < 32; l++)
            if (const uint32_t known = room->known_lane(self.rank, l); known > room->barrier)
                clock.raise({self.block, self.rank / 32 * 32 + l}, known);
        clock.join(room->extra.known);
        clock.join(room->threads[self.rank].extra.known);
    }

    uint32_t first_ = 0, grid_barrier_ = 0;
    bool has_extra_ = false;  // somebody has acquired something
    std::vector<Who> who_;    // whose each segment of this launch is
    std::vector<Index> blocks_;
    std::unordered_map<const void*, Clock> objects_;
};

}  // namespace cuda_on_cpu_recorder
