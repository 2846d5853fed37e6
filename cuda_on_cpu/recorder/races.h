// What is wrong with an access of an array: whether it races with an earlier one, or reads what nobody has written. The
// array's shadow has what happened to each word.
#pragma once

#include "report.h"

namespace cuda_on_cpu_recorder {

struct Access {
    uintptr_t address;
    size_t bytes;
    bool reads, writes;
    Kind kind;
    uint32_t site;
    bool compares = false;  // atomicCAS()
};

class Races : public Report {
public:
    // At the next access, and when another thread runs: a write whose value was not known yet is there now.
    [[gnu::always_inline]] void settle() {
        if (pending_.bytes) settle_pending();
    }

protected:
    void forget_guesses() { guesses_.clear(); }
    void say_guesses() {
        for (const auto& [reader, guess] : guesses_) say(text(guess.first), guess.second);
        guesses_.clear();
    }

    // The block whose shared memory it is: what another block of the cluster has, lies in a copy.
    const Room& owner(const Array& array) const { return array.room ? *array.room : *order.room; }

    // address: by which the shadow knows it; of a copy, the original's.
    [[gnu::always_inline]] void look_at(Array& array, Shadow& shadow, uintptr_t address, const Access& a) {
        const Stamp now(order.segment, a.site, a.kind);
        shadow.for_each(address, a.bytes, [&](size_t word, uintptr_t at) __attribute__((always_inline)) {
            if (a.compares) guesses_.erase({order.self.block, order.self.rank, at});
            if (a.kind == Kind::is_volatile && !a.writes) looks_again(at);
            if (a.reads) read(array, shadow, word, at, now, a);
            if (a.writes) write(array, shadow, word, at, now, a);
        });
        if (a.kind == Kind::is_volatile && a.writes && array.place != Place::shared)
            order.room->threads[order.self.rank].stored = a.address;
    }

private:
    [[gnu::noinline]] void settle_pending() {
        const bool is_same = memcmp(pending_.old, reinterpret_cast<void*>(pending_.address), pending_.bytes) == 0;
        pending_.bytes = 0;
        if (!is_same) say(text(pending_.race), pending_.key);
    }

    // ---- reads and writes of one word -----------------------------------------------------------------------------

    [[gnu::always_inline]] void read(Array& array, Shadow& shadow, size_t word, uintptr_t at, Stamp now,
                                     const Access& a) {
        const Stamp before = shadow.read(word);
        if (before.is_with(now)) return;
        const Stamp written = shadow.written(word);
        if (!has_value(array, written, at))
            uninitialised(array, at, a);
        else if (conflict(array, written, now))
            race(array, at, written, true, now, a);
        if (a.writes) return;
        // A write races with any read that is not ordered before it. The first such read is kept, and the last: where
        // some threads synchronise, and one of them writes, one of these two is mostly another thread's.
        if (order.is_of_this_launch(before) && !(order.who(before) == order.self)) {
            const Stamp first = shadow.first_read(word);
            if (!first || order.is_ordered(first)) shadow.first_read(word, before);
        }
        shadow.read(word, now);
    }

    [[gnu::always_inline]] void write(Array& array, Shadow& shadow, size_t word, uintptr_t at, Stamp now,
                                      const Access& a) {
        const Stamp written = shadow.written(word), reads[] = {shadow.read(word), shadow.first_read(word)};
        if (written.is_with(now) && !reads[0]) return;  // nothing new, unless a read has to be forgotten
        if (conflict(array, written, now, a.address)) race(array, at, written, true, now, a);
        for (const Stamp& read : reads)
            if (conflict(array, read, now) || is_stale(array, read, now, a.address))
                race(array, at, read, false, now, a);
        shadow.write(word, now);
    }

    bool same_warp(Stamp s) const {
        const Who who = order.who(s);
        return who.block == order.self.block && who.rank / 32 == order.self.rank / 32;
    }

    // One of the two is a write; with both_write, to that address, both are. Atomics and volatile accesses may meet:
    // that is what they are for. But lanes of one warp cannot wait for one another by a volatile variable, and where
    // nobody waits for its last value with a fence, one of two volatile writes is lost.
    [[gnu::always_inline]] bool conflict(const Array& array, Stamp before, Stamp now, uintptr_t both_write = 0) const {
        return order.is_of_this_launch(before) && conflict_in_launch(array, before, now, both_write);
    }
    [[gnu::noinline]] bool conflict_in_launch(const Array& array, Stamp before, Stamp now, uintptr_t both_write) const {
        if (before.kind() == Kind::runtime || now.kind() == Kind::runtime) return false;
        if (array.place == Place::shared && before.segment() < owner(array).first) return false;  // an earlier block's
        if (before.kind() == Kind::copy) return true;
        if (order.is_ordered(before)) return false;
        if (now.kind() == Kind::copy || before.kind() == Kind::plain || now.kind() == Kind::plain) return true;
        if (before.kind() != Kind::is_volatile || now.kind() != Kind::is_volatile) return false;
        return (both_write && !order.is_released(both_write)) || (array.place == Place::shared && same_warp(before));
    }

    // The same in global memory, where lanes of a warp may wait for one another: a lane has read the old value, and has
    // written elsewhere as if all lanes went in step. It is a mistake unless that lane looks again.
    [[gnu::always_inline]] bool is_stale(const Array& array, Stamp read, Stamp now, uintptr_t address) const {
        return now.kind() == Kind::is_volatile && read.kind() == Kind::is_volatile && array.place != Place::shared &&
               order.is_of_this_launch(read) && is_stale_in_launch(read, address);
    }
    [[gnu::noinline]] bool is_stale_in_launch(Stamp read, uintptr_t address) const {
        if (order.is_ordered(read) || !same_warp(read)) return false;
        const auto reader = order.room->threads.find(order.who(read).rank);
        return reader != order.room->threads.end() && reader->second.stored && reader->second.stored != address;
    }
    void looks_again(uintptr_t at) {
        const auto found = guesses_.find({order.self.block, order.self.rank, at});
        if (found != guesses_.end() && found->second.first.before.kind() == Kind::is_volatile) guesses_.erase(found);
    }

    struct Race {
        Array* array;
        uintptr_t at;
        Stamp before, now;
        bool wrote, writes;
        Who self;
        bool is_seen, is_update;
    };
    [[gnu::noinline]] void race(Array& array, uintptr_t at, Stamp before, bool wrote, Stamp now, const Access& a) {
        const Key key = {0, a.site, before.site()};
        // A line that reads a number and then writes it, such as n += 1, in both threads.
        const bool is_update = a.writes && wrote && !order.is_seen(before) && raced_read_.at == at &&
                               raced_read_.self == order.self &&
                               sites.line_of(raced_read_.site) == sites.line_of(a.site) &&
                               sites.line_of(before.site()) == sites.line_of(a.site);
        if (!a.writes) raced_read_ = {order.self, at, a.site};
        if (is_said(key)) return;
        if (sites.get(a.site).is_runtime || sites.get(before.site()).is_runtime) return;
        const Race race = {&array, at, before, now, wrote, a.writes, order.self, order.is_seen(before), is_update};
        const Stamp read = a.writes ? before : now, written = a.writes ? now : before;
        const bool is_guess = read.kind() == Kind::plain && written.kind() == Kind::atomic;
        const bool may_look_again =
            read.kind() == Kind::is_volatile && written.kind() == Kind::is_volatile && array.place != Place::shared;
        if (a.writes != wrote && (is_guess || may_look_again)) {
            const Who reader = a.writes ? order.who(before) : order.self;
            if (guesses_.size() == 4096) say_guesses();
            guesses_.insert({{reader.block, reader.rank, at}, {race, key}});
            return;
        }
        if (is_update || !a.writes || a.reads || !wrote || a.kind == Kind::copy || a.bytes > sizeof pending_.old)
            return say(text(race), key, is_update);
        // Two writes: no race in effect if both write the same, as settle() will see.
        pending_ = {a.address, a.bytes, {}, race, key};
        memcpy(pending_.old, reinterpret_cast<void*>(a.address), a.bytes);
    }
    std::string text(const Race& r) {
        const Who other = order.who(r.before);
        const char* did = r.before.kind() == Kind::atomic ? "changed it by an atomic"
                          : r.before.kind() == Kind::copy ? "started a copy into it"
                          : r.wrote                       ? "wrote it"
                                                          : "read it";
        const char* does = r.now.kind() == Kind::atomic ? "changes by an atomic"
                           : r.now.kind() == Kind::copy ? "starts a copy into"
                           : r.writes                   ? "writes"
                                                        : "reads";
        const char* between = r.before.kind() == Kind::copy ? "it may not be complete"
                              : r.is_update ? "threads that update one number need an atomic, such as atomicAdd()"
                              : r.is_seen   ? "no __threadfence() follows what told of it"
                              : other.block != r.self.block         ? "blocks run in any order"
                              : other.rank / 32 != r.self.rank / 32 ? "no __syncthreads() is between them"
                              : order.threads > 32 ? "no __syncthreads() and no __syncwarp() is between them"
                                                   : "no __syncwarp() and no __syncthreads() is between them";
        return format("data race: %s %s %s at %s, and %s %s at %s; %s", thread(r.self).c_str(), does,
                      place(*r.array, r.at).c_str(), sites.text(r.now.site()).c_str(), thread(other).c_str(), did,
                      sites.text(r.before.site()).c_str(), between);
    }

    // ---- memory that has no value yet -----------------------------------------------------------------------------

    bool has_value(const Array& array, Stamp written, uintptr_t at) const {
        if (array.place == Place::shared) return written && written.segment() >= owner(array).first;
        return array.all_written || written || array.written[at < array.begin ? 0 : at - array.begin];
    }
    [[gnu::noinline]] void uninitialised(Array& array, uintptr_t at, const Access& a) {
        const Key key = {1, a.site, 0};
        if (is_said(key) || sites.get(a.site).is_runtime) return;
        say(format("uninitialised memory: %s reads %s at %s, which %s", thread(order.self).c_str(),
                   place(array, at).c_str(), sites.text(a.site).c_str(),
                   array.place == Place::shared ? "no thread of its block has written" : "nobody has written"),
            key);
    }

    struct {  // a write that races with another, unless it leaves the memory as it was
        uintptr_t address;
        size_t bytes;
        unsigned char old[16];
        Race race;
        Key key;
    } pending_ = {};
    struct {  // the last read that raced
        Who self;
        uintptr_t at;
        uint32_t site;
    } raced_read_ = {};
    // Plain reads that race with an atomic, by the reader's block and rank and the address. Such a read is a guess, and
    // no mistake, if the reader then compares at that address by atomicCAS(): in NVIDIA's guide, atomics that CUDA
    // lacks are made so, and a wrong guess costs one more round. And volatile reads that are stale, unless the reader
    // looks again.
    std::map<std::tuple<uint32_t, uint32_t, uintptr_t>, std::pair<Race, Key>> guesses_;
};

}  // namespace cuda_on_cpu_recorder
