// What is wrong with an access: which array it is in, or next to; races.h has what may be wrong within an array.
#pragma once

#include "races.h"

namespace cuda_on_cpu_recorder {

class Check : public Races {
public:
    void begin_launch(const Launch& l) {
        begin(l);
        std::fill(seen_, seen_ + seen_size, Seen{});  // arrays come and go between launches
        forget_guesses();
        order.begin_launch(l.block_x * l.block_y * l.block_z);
    }
    const char* end_launch() {
        settle();
        say_guesses();
        return end();
    }

    static uintptr_t by_owner(const Array& array, uintptr_t a) {  // where the block that owns it has that address
        return array.original ? a - array.begin + array.original->begin : a;
    }

    // A write at an earlier time of this launch.
    void write_at(const Access& a, uint32_t segment) {
        Array* array = arrays.find(a.address);
        if (!array || a.bytes > array->end - a.address) return;
        Shadow& shadow = shadow_of(*array);
        const Stamp then(segment, a.site, a.kind);
        shadow.for_each(by_owner(*array, a.address), a.bytes,
                        [&](size_t word, uintptr_t) { shadow.write(word, then); });
    }

    // Inlined into what the compiler calls, since it runs millions of times. What is rare is a call.
    [[gnu::always_inline]] void access(const Access& a) {
        settle();
        const Seen& seen = seen_[a.site % seen_size];
        const size_t offset = a.address - seen.begin;
        if (seen.site == a.site && seen.room == order.room && offset < seen.bytes && a.bytes <= seen.bytes - offset)
            look_at(*seen.array, *seen.shadow, a.address, a);
        else
            first_access(a);
    }

    // ---- barriers that not all reach ------------------------------------------------------------------------------

    // A thread that has returned before the block's first barrier may be one beyond the end of the arrays: GPUs since
    // Volta allow that, and it is refused only in an exercise. One that has waited with the others before, and returns
    // while these wait once more, has left a barrier in a branch out.
    [[gnu::noinline]] void left_out(const Room& r, unsigned waiting) {
        const auto count = [](unsigned n) { return std::to_string(n) + (n == 1 ? " thread" : " threads"); };
        say(format("barrier left out: %s of block (%u, %u, %u) returned without it, and %s waited at %s; "
                   "%s must reach it",
                   count(r.waited - waiting).c_str(), r.x, r.y, r.z, count(waiting).c_str(),
                   sites.first_outside(r.barrier_calls).c_str(),
                   arrays.in_launcher() ? "all threads of the block" : "all that waited at the one before"),
            {2, 0, 0});  // the first of a launch: others follow from it
    }

private:
    [[gnu::noinline]] void first_access(const Access& a) {
        if (sites.is_known_runtime(a.site) && a.kind != Kind::atomic) return runtime_access(a);
        Array* array = arrays.find(a.address);
        if (!array && !(array = other_memory(a))) return;
        if (array->place == Place::unknown && a.address + a.bytes > array->end) {  // goes on in the next megabyte
            const size_t here = array->end - a.address;
            access({a.address, here, a.reads, a.writes, a.kind, a.site});
            return access({array->end, a.bytes - here, a.reads, a.writes, a.kind, a.site});
        }
        if (array->is_freed || a.address + a.bytes > array->end) return outside(a, *array);
        if (a.writes && array->original && array->room != order.room && !order.has_met(*array->room))
            too_early(a, *array);
        Shadow& shadow = shadow_of(*array);
        // A tensor that nobody has announced may be a launcher's parameter, and end anywhere in this array.
        const bool may_end = array->place == Place::unknown && arrays.in_launcher();
        if (!array->original && array->place != Place::variable && !may_end) {
            const auto [begin, end] = arrays.alone(*array, a.address);
            seen_[a.site % seen_size] = {a.site, order.room, begin, end - begin, array, &shadow};
        }
        look_at(*array, shadow, by_owner(*array, a.address), a);
    }

    [[gnu::noinline]] void too_early(const Access& a, Array& array) {
        say(format(
                "too early: %s writes %s at %s, which is another block's: it may not have started, so a barrier of the "
                "cluster must come before",
                thread(order.self).c_str(), place(array, by_owner(array, a.address)).c_str(),
                sites.text(a.site).c_str()),
            {3, a.site, 0});
    }

    Shadow& shadow_of(Array& array) {
        return (array.original ? *array.original : array)
            .shadow(array.place == Place::shared ? owner(array).number : 0);
    }

    // ---- addresses of no known array ------------------------------------------------------------------------------

    // What CUDA on CPU itself writes for a kernel: it counts as written, and races with nothing.
    [[gnu::noinline]] void runtime_access(const Access& a) {
        Array* array = a.writes && arrays.may_be_any(a.address) ? arrays.find(a.address) : nullptr;
        if (!array || array->is_freed || a.address + a.bytes > array->end) return;
        const Stamp now(order.segment, a.site, Kind::runtime);
        Shadow& shadow = shadow_of(*array);
        shadow.for_each(by_owner(*array, a.address), a.bytes, [&](size_t word, uintptr_t) { shadow.write(word, now); });
    }

    Array* other_memory(const Access& a) {
        if (sites.get(a.site).is_runtime) return nullptr;
        if (arrays.is_parameter(a.address)) return unannounced(a.address);
        const uintptr_t dynamic = uintptr_t(launch.dynamic_memory);
        if (a.address - dynamic < launch.dynamic_limit) {
            give_up("out of bounds: %s %s %s at %s: byte %zu of dynamic shared memory, and the launch asks for %zu",
                    thread(order.self).c_str(), a.writes ? "writes" : "reads", in_bytes(a.bytes).c_str(),
                    sites.text(a.site).c_str(), size_t(a.address - dynamic), launch.dynamic_bytes);
            return nullptr;
        }
        Array* const before = arrays.before(a.address);
        if (before && before->place == Place::shared && is_past(*before, a.address)) {
            outside(a, *before);
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
        if (const Parameter* p = arrays.parameter_beside(a.address)) {
            outside(a, *p);
            return nullptr;
        }
        const char* does = a.writes ? "writes" : "reads";
        if (a.address < 65536) {
            give_up("%s %s address %#lx, a null pointer with an offset, at %s", thread(order.self).c_str(), does,
                    long(a.address), sites.text(a.site).c_str());
            return nullptr;
        }
        if (arrays.in_launcher() || !has_tensors()) {
            give_up("%s %s %s at %p, at %s: the host's memory, or that of no array", thread(order.self).c_str(), does,
                    in_bytes(a.bytes).c_str(), p, sites.text(a.site).c_str());
            return nullptr;
        }
        return unannounced(a.address);
    }

    // Whether the address lies little past the end of a shared array, before any other variable begins.
    bool is_past(const Array& shared, uintptr_t address) {
        if (address - shared.end >= 1024) return false;
        const auto [known, is_new] = past_.try_emplace(address, false);
        if (is_new) known->second = variable(address).rfind(variable(shared.begin) + " + ", 0) == 0;
        return known->second;
    }

    // Not every tensor is announced: whatever there is may be one.
    Array* unannounced(uintptr_t address) {
        const uintptr_t chunk = address & ~uintptr_t((1 << 20) - 1);
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
            if (sscanf(line, "%lx-%lx", &begin, &end) != 2 || address < begin || address >= end) continue;
            found = new Array{begin, end, Place::variable};
            variables_.push_back(found);
        }
        if (maps) fclose(maps);
        return found;
    }

    void outside(const Access& a, const Parameter& p) {
        std::string what = p.at(a.address);
        if (a.bytes > p.element) what += " to " + p.at(a.address + a.bytes - p.element);
        const char* side = a.address < p.begin ? "before the beginning" : "past the end";
        give_up("out of bounds: %s %s %s at %s, %s of %s (%s)", thread(order.self).c_str(),
                a.writes ? "writes" : "reads", what.c_str(), sites.text(a.site).c_str(), side, p.name.c_str(),
                p.size().c_str());
    }

    void outside(const Access& a, Array& array) {
        if (sites.get(a.site).is_runtime && a.kind != Kind::atomic) return;
        const Parameter* p = arrays.parameter(a.address, array);
        if (p && !array.is_freed) return outside(a, *p);
        const std::string who = thread(order.self) + (a.writes ? " writes " : " reads "), at = sites.text(a.site);
        std::string where;
        if (array.is_freed)
            where = ": " + place(array, a.address) + ", which has been freed";
        else if (a.address >= array.end)
            where = ", beginning " + in_bytes(a.address - array.end) + " past the end of " + name(array);
        else if (a.address + a.bytes > array.end)
            where = ", ending " + in_bytes(a.address + a.bytes - array.end) + " past the end of " + name(array);
        else
            where = ", beginning " + in_bytes(array.begin - a.address) + " before " + name(array);
        give_up("out of bounds: %s%s at %s%s", who.c_str(), in_bytes(a.bytes).c_str(), at.c_str(), where.c_str());
    }

    // Where a site's last access went: mostly its next one also goes there.
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
    std::map<uintptr_t, bool> past_;                 // what is_past() has found
    std::unordered_map<uintptr_t, Array*> unknown_;  // memory by the megabyte
};

}  // namespace cuda_on_cpu_recorder
