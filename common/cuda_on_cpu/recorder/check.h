// What is wrong with an access: it looks at the shadow of the array, and reports what it has found.
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

class Check : public Report {
public:
    void begin_launch(const Launch& l) {
        begin(l);
        std::fill(seen_, seen_ + seen_size, Seen{});  // arrays come and go between launches
        guesses_.clear();
        order.begin_launch(l.block_x * l.block_y * l.block_z);
    }
    const char* end_launch() {
        settle();
        say_guesses();
        return end();
    }

    // A write at an earlier time of this launch.
    void write_at(const Access& a, uint32_t segment) {
        Array* array = arrays.find(a.address);
        if (!array || array->place >= Place::variable || a.bytes > array->end - a.address) return;
        Shadow& shadow = shadow_of(*array);
        const Stamp then(segment, a.site, a.kind);
        shadow.for_each(a.address, a.bytes, [&](size_t word, uintptr_t) { shadow.write(word, then); });
    }

    // Inlined into what the compiler calls, since it runs millions of times. What is rare is a call.
    [[gnu::always_inline]] void access(const Access& a) {
        if (pending_.bytes) settle();
        const Seen& seen = seen_[a.site % seen_size];
        const size_t offset = a.address - seen.begin;
        if (seen.site == a.site && seen.room == order.room && offset < seen.bytes && a.bytes <= seen.bytes - offset)
            look_at(*seen.array, *seen.shadow, a.address, a);
        else
            first_access(a);
    }

    // The write whose value is not known yet may have been that which was there already.
    [[gnu::noinline]] void settle() {
        if (!pending_.bytes) return;
        const bool is_same = memcmp(pending_.old, reinterpret_cast<void*>(pending_.address), pending_.bytes) == 0;
        pending_.bytes = 0;
        if (!is_same) say(text(pending_.race), pending_.key);
    }

private:
    [[gnu::noinline]] void first_access(const Access& a) {
        if (sites.is_known_runtime(a.site) && a.kind != Kind::atomic) return runtime_access(a);
        Array* array = arrays.find(a.address);
        if (!array && !(array = other_memory(a))) return;
        if (array->place == Place::ignored) return;
        if (array->place == Place::unknown && a.address + a.bytes > array->end) {  // goes on in the next megabyte
            const size_t here = array->end - a.address;
            access({a.address, here, a.reads, a.writes, a.kind, a.site});
            return access({array->end, a.bytes - here, a.reads, a.writes, a.kind, a.site});
        }
        if (array->is_freed || a.address + a.bytes > array->end) return outside(a, *array);
        Shadow& shadow = shadow_of(*array);
        if (!array->original && array->place != Place::variable) {
            const auto [begin, end] = arrays.alone(*array, a.address);
            seen_[a.site % seen_size] = {a.site, order.room, begin, end - begin, array, &shadow};
        }
        look_at(*array, shadow, array->original ? a.address - array->begin + array->original->begin : a.address, a);
    }

    // Each block has a shadow of shared memory of its own. What another block of the cluster has, lies in a copy.
    const Room& owner(const Array& array) const { return array.room ? *array.room : *order.room; }
    Shadow& shadow_of(Array& array) {
        return (array.original ? *array.original : array)
            .shadow(array.place == Place::shared ? owner(array).number : 0);
    }

    [[gnu::always_inline]] void look_at(Array& array, Shadow& shadow, uintptr_t address, const Access& a) {
        const Stamp now(order.segment, a.site, a.kind);
        shadow.for_each(address, a.bytes, [&](size_t word, uintptr_t at) __attribute__((always_inline)) {
            if (a.compares) guesses_.erase({order.self.block, order.self.rank, at});
            if (a.reads) read(array, shadow, word, at, now, a);
            if (a.writes) write(array, shadow, word, at, now, a);
        });
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
        if (written.is_with(now) && !reads[0]) return;
        if (conflict(array, written, now, a.address)) race(array, at, written, true, now, a);
        for (const Stamp& read : reads)
            if (conflict(array, read, now)) race(array, at, read, false, now, a);
        shadow.write(word, now);
    }

    bool same_warp(Stamp s) const {
        if (!order.is_of_this_launch(s)) return false;
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

    struct Race {
        Array* array;
        uintptr_t at;
        Stamp before, now;
        bool wrote, writes;
        Who self;
    };
    [[gnu::noinline]] void race(Array& array, uintptr_t at, Stamp before, bool wrote, Stamp now, const Access& a) {
        const Key key = {0, a.site, before.site()};
        if (is_said(key)) return;
        if (sites.get(a.site).is_runtime || sites.get(before.site()).is_runtime) return;
        const Race race = {&array, at, before, now, wrote, a.writes, order.self};
        const Stamp read = a.writes ? before : now, written = a.writes ? now : before;
        if (a.writes != wrote && read.kind() == Kind::plain && written.kind() == Kind::atomic) {
            const Who reader = a.writes ? order.who(before) : order.self;
            if (guesses_.size() == 4096) say_guesses();
            guesses_.insert({{reader.block, reader.rank, at}, {race, key}});
            return;
        }
        if (!a.writes || a.reads || !wrote || a.kind == Kind::copy || a.bytes > sizeof pending_.old)
            return say(text(race), key);
        // Two writes: no race in effect if both write the same. What this one writes is there at the next access.
        pending_ = {a.address, a.bytes, {}, race, key};
        memcpy(pending_.old, reinterpret_cast<void*>(a.address), a.bytes);
    }
    void say_guesses() {
        for (const auto& [reader, guess] : guesses_) say(text(guess.first), guess.second);
        guesses_.clear();
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
        const char* between = r.before.kind() == Kind::copy         ? "it may not be complete"
                              : other.block != r.self.block         ? "blocks run in any order"
                              : other.rank / 32 != r.self.rank / 32 ? "no __syncthreads() is between them"
                                                                    : "no __syncwarp() and no barrier is between them";
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

    // ---- addresses of no known array ------------------------------------------------------------------------------

    // What CUDA on CPU itself writes for a kernel: it counts as written, and races with nothing.
    [[gnu::noinline]] void runtime_access(const Access& a) {
        Array* array = a.writes && arrays.may_be_any(a.address) ? arrays.find(a.address) : nullptr;
        if (!array || array->place >= Place::variable || array->is_freed || a.address + a.bytes > array->end) return;
        const Stamp now(order.segment, a.site, Kind::runtime);
        Shadow& shadow = shadow_of(*array);
        shadow.for_each(a.address, a.bytes, [&](size_t word, uintptr_t) { shadow.write(word, now); });
    }

    Array* other_memory(const Access& a) {
        if (sites.get(a.site).is_runtime) return nullptr;
        const uintptr_t dynamic = uintptr_t(launch.dynamic_memory);
        if (a.address - dynamic < launch.dynamic_limit) {
            give_up("out of bounds: %s %s %s at %s: byte %zu of dynamic shared memory, and the launch asks for %zu",
                    thread(order.self).c_str(), a.writes ? "writes" : "reads", in_bytes(a.bytes).c_str(),
                    sites.text(a.site).c_str(), size_t(a.address - dynamic), launch.dynamic_bytes);
            return nullptr;
        }
        for (Array* array : variables_)
            if (array->contains(a.address)) return array;
        const auto p = reinterpret_cast<void*>(a.address);
        Dl_info info;
        if (dladdr(p, &info)) return variables(a.address);
        if (Array* array = arrays.beside(a.address)) {
            outside(a, *array);
            return nullptr;
        }
        const char* does = a.writes ? "writes" : "reads";
        if (a.address < 65536) {
            give_up("%s %s address %#lx, a null pointer with an offset, at %s", thread(order.self).c_str(), does,
                    long(a.address), sites.text(a.site).c_str());
            return nullptr;
        }
        if (!has_tensors()) {
            give_up("%s %s %s at %p, at %s: the host's memory, or that of no array", thread(order.self).c_str(), does,
                    in_bytes(a.bytes).c_str(), p, sites.text(a.site).c_str());
            return nullptr;
        }
        // Not every tensor is announced: whatever there is may be one.
        const uintptr_t chunk = a.address & ~uintptr_t((1 << 20) - 1);
        Array*& array = unknown_[chunk];
        if (!array) array = new Array{chunk, chunk + (1 << 20), Place::unknown};
        return array;
    }

    static bool has_tensors() {  // Python or torch is in this process
        static const bool has = dlsym(RTLD_DEFAULT, "Py_Initialize") || dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
        return has;
    }

    // All variables of the program or library at that address.
    Array* variables(uintptr_t address) {
        FILE* maps = fopen("/proc/self/maps", "r");
        char line[4096];
        Array* found = nullptr;
        while (maps && fgets(line, sizeof line, maps)) {
            unsigned long begin, end;
            char rights[5];
            if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3 || address < begin || address >= end) continue;
            found = new Array{begin, end, rights[1] == 'w' ? Place::variable : Place::ignored};
            variables_.push_back(found);
        }
        if (maps) fclose(maps);
        return found;
    }

    void outside(const Access& a, Array& array) {
        if (sites.get(a.site).is_runtime && a.kind != Kind::atomic) return;
        const std::string who = thread(order.self) + (a.writes ? " writes " : " reads "), at = sites.text(a.site);
        if (const Parameter* p = arrays.parameter(a.address, array); p && !array.is_freed) {
            std::string what = p->at(a.address);
            if (a.bytes > p->element) what += " to " + p->at(a.address + a.bytes - p->element);
            const char* side = a.address < p->begin ? "before the beginning" : "behind the end";
            return give_up("out of bounds: %s%s at %s, %s of %s (%s)", who.c_str(), what.c_str(), at.c_str(), side,
                           p->name.c_str(), p->size().c_str());
        }
        std::string where;
        if (array.is_freed)
            where = place(array, a.address) + ", which has been freed";
        else if (a.address + a.bytes > array.end)
            where = in_bytes(a.address + a.bytes - array.end) + " behind " + name(array);
        else
            where = in_bytes(array.begin - a.address) + " before " + name(array);
        give_up("out of bounds: %s%s at %s: %s", who.c_str(), in_bytes(a.bytes).c_str(), at.c_str(), where.c_str());
    }

    struct {
        uintptr_t address;
        size_t bytes;
        unsigned char old[16];
        Race race;
        Key key;
    } pending_ = {};
    // Plain reads that race with an atomic: a guess, if the reader's atomicCAS() at that address is to come. NVIDIA's
    // guide makes atomics so that CUDA lacks, and a wrong guess costs one more round. By block, rank and address.
    std::map<std::tuple<uint32_t, uint32_t, uintptr_t>, std::pair<Race, Key>> guesses_;
    // Where a site's last access went: mostly its next one goes there, too.
    struct Seen {
        uint32_t site;
        Room* room;
        uintptr_t begin;
        size_t bytes;
        Array* array;
        Shadow* shadow;
    };
    static constexpr size_t seen_size = 1 << 10;
    Seen seen_[seen_size] = {};
    std::vector<Array*> variables_;
    std::unordered_map<uintptr_t, Array*> unknown_;  // memory by the megabyte
};

}  // namespace cuda_on_cpu_recorder
