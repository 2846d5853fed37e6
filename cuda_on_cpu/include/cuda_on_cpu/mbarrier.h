// A barrier as an object of 8 bytes: what cuda::barrier, awbarrier and PTX's mbarrier are made of.
//
// A phase ends when as many threads have arrived as the barrier expects, and when the bytes have come that a bulk copy
// was announced with. Then the next phase begins. Asynchronous copies may belong to a phase: a GPU carries them out at
// any time before a thread has seen the phase's end; here it is when the first thread sees it.
#pragma once

#include <functional>
#include <map>

#include "cuda_on_cpu/async_proxy.h"
#include "cuda_on_cpu/waiting.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Copies that belong to a phase of a barrier: those of one thread up to a number.
struct CopiesOfPhase {
    unsigned phase;
    AsyncCopies* copies;
    uint64_t end;
};

// What is on its way into shared memory, of this block or of another in the cluster: st.async, cp.async.bulk.
struct StoreOfPhase {
    unsigned phase;
    InShared to;
    std::function<void(char*)> write;  // empty: it is there already
    bool by_async_proxy;               // st.async is not
    size_t bytes;
    Location where;
    uint32_t started;  // the memory check's time

    void carry_out() const {  // while the block that owns the memory runs
        if (write) write(to.pointer);
        if (write && by_async_proxy) async_proxy_wrote(to.pointer, bytes);
        CUDA_ON_CPU_RECORD(copy_ends(to.pointer, bytes, started, where.file, where.line));
        to.owner->stores--;
    }
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
        all_stores().erase(key());
        if (in_kernel) async_picture(*in_shared(this).owner).barriers.insert(in_shared(this).pointer);
    }

    // Gives the state before, which tells a wait what phase is meant.
    uint64_t arrive(ptrdiff_t count, bool drop, const char* function, Location where) {
        check(function, where);
        if (count < 1 || uint64_t(count) > pending)
            refuse(function, where,
                   std::to_string(count) + " threads arrive, and " + std::to_string(pending) +
                       " are still expected of " + std::to_string(expected));
        const uint64_t before = bits();
        CUDA_ON_CPU_RECORD(release(name()));
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

    static bool parity_of(uint64_t state, const char* = "", Location = {}) { return from_bits(state).phase % 2; }
    static bool parity_of(uint32_t parity, const char* function, Location where) {
        if (parity > 1) refuse(function, where, "a parity is 0 or 1, not " + std::to_string(parity));
        return parity;
    }
    static unsigned pending_of(uint64_t state) { return from_bits(state).pending; }

    // Waits until the phase with that parity is over. It is the present phase or the one before.
    void wait(bool parity, const char* function, Location where) {
        check(function, where);
        const Looks looks(this, parity);
        wait_anywhere([this, parity] { return phase % 2 != parity; }, function, where);
        CUDA_ON_CPU_RECORD(acquire(name()));
        carry_out_copies();
    }

    // The same, but not for longer than `time`; whether it is over. A GPU may say no at once. Here a thread is told no
    // once, if the phase is not over or its copies have not been carried out: a kernel that asks only once reads too
    // early.
    bool try_wait(bool parity, std::chrono::nanoseconds time, const char* function, Location where) {
        check(function, where);
        const auto over = [this, parity] { return phase % 2 != parity; };
        if (in_kernel && !self->said_no_at && (!over() || has_copies())) {
            self->said_no_at = this;
            return false;
        }
        const Looks looks(this, parity);
        const auto end = std::chrono::steady_clock::now() + time;
        if (!try_until(over, end, function, where)) return false;
        if (in_kernel && self->said_no_at == this) self->said_no_at = nullptr;
        CUDA_ON_CPU_RECORD(acquire(name()));
        carry_out_copies();
        return true;
    }

    // The copies that this thread has started so far belong to the present phase.
    void add_copies(const char* function, Location where) {
        check(function, where);
        if (copies_at_once()) return;  // they have been carried out
        AsyncCopies& mine = my_async_copies();
        std::deque<CopiesOfPhase>& all = all_copies()[key()];
        carry_out(all);
        if (all.empty() || all.back().copies != &mine) all.push_back({unsigned(phase), &mine, 0});
        all.back().end = mine.end();
    }

    // Stores into shared memory of the block that has this barrier; the bytes count as come. A GPU may store at any
    // time before the phase ends: here it is as with copies.
    void store(void* to, const void* value, size_t bytes, const char* function, Location where) {
        if (!grid.has_clusters)  // as on an H100
            refuse(function, where,
                   "an illegal instruction was encountered: the kernel was launched without clusters; a cluster of one "
                   "block would do");
        if (reinterpret_cast<uintptr_t>(to) % bytes != 0)
            refuse(function, where, "the address is not aligned to " + std::to_string(bytes) + " bytes");
        const std::string copy(static_cast<const char*>(value), bytes);
        const auto write = [copy](char* p) { memcpy(p, copy.data(), copy.size()); };
        deliver(static_cast<char*>(to), bytes, write, false, function, where);
    }

    // The same with whatever write() writes to the address that it is given.
    void deliver(char* to, size_t bytes, const std::function<void(char*)>& write, bool by_async_proxy,
                 const char* function, Location where) {
        check(function, where);
        const InShared target = in_shared(to), me = in_shared(this);
        if (target.owner != me.owner)
            refuse(function, where, "the address and the barrier are in the shared memory of different blocks");
        if (!shared_array_at(target.pointer).address || !shared_array_at(me.pointer).address)
            refuse(function, where, "the address or the barrier is not in shared memory");
        if (by_async_proxy && wants_barrier_fence() && async_picture(*me.owner).barriers.count(me.pointer))
            refuse(function, where,
                   "no fence.mbarrier_init or fence.proxy.async came between the barrier's init and this copy");
        const bool at_once = copies_at_once();
        if (by_async_proxy && !at_once)
            memset(to, 0xff, bytes), async_proxy_writes(to, bytes);  // NaN, for who reads it
        uint32_t started = 0;
#ifdef CUDA_ON_CPU_MEMORY_CHECK
        started = cuda_on_cpu_recorder::copy_starts(to, bytes, where.file, where.line);
        cuda_on_cpu_recorder::release(name());
#endif
        if (at_once) write(to);
        if (at_once && by_async_proxy) async_proxy_wrote(to, bytes);
        const StoreOfPhase now = {unsigned(phase), target, at_once ? nullptr : write, by_async_proxy, bytes,
                                  where,           started};
        all_stores()[key()].push_back(now);
        me.owner->stores++, me.owner->last_store = where;
        expect_bytes(-ptrdiff_t(bytes), function, where);
    }

    void check(const char* function, Location where) const {
        if (const Resident* owner = in_kernel ? in_shared(this).owner : nullptr; owner && block_of(*owner).alive == 0)
            refuse(function, where, "the block of rank " + std::to_string(owner->rank) + " has returned");
        if (!valid) refuse(function, where, "the barrier has no expected count: init() comes first");
    }

private:
    // While a thread looks whether a phase is over, it says so, for the message of a deadlock.
    struct Looks {
        Looks(const Mbarrier* barrier, bool parity) {
            if (in_kernel) self->looks_at = {barrier, parity, lacks};
        }
        ~Looks() {
            if (in_kernel) self->looks_at = {};
        }
    };
    static std::string lacks(const Resident& r, const void* barrier, bool parity) {
        const char* p = static_cast<const char*>(barrier);
        const SharedArray array = shared_array_at(p);
        if (&r != grid.running && array.address) p = r.copy + array.place + (p - array.address);
        const auto& b = *reinterpret_cast<const Mbarrier*>(p);
        std::string text = format(" for parity %d, and the phase has parity %d", int(parity), int(b.phase % 2));
        if (b.pending) text += format(", lacks %d of %d arrivals", int(b.pending), int(b.expected));
        if (b.bytes) text += format(", %s %d bytes", b.bytes > 0 ? "lacks" : "has not expected", abs(int(b.bytes)));
        return text;
    }

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
    using Key = std::pair<const void*, uint64_t>;
    Key key() const {
        if (!in_kernel) return {this, 0};
        const InShared me = in_shared(this);
        const uint3 index = block_of(*me.owner).index;
        return {me.pointer, index.x + uint64_t(gridDim.x) * (index.y + uint64_t(gridDim.y) * index.z)};
    }
    const void* name() const { return in_kernel ? name_in_cluster(this) : this; }

    template <class T>  // CopiesOfPhase or StoreOfPhase; of this launch
    static std::map<Key, std::deque<T>>& all() {
        static std::map<Key, std::deque<T>> all;
        static uint64_t launch = 0;
        if (launch != launch_number) all.clear();
        launch = launch_number;
        return all;
    }
    static std::map<Key, std::deque<CopiesOfPhase>>& all_copies() { return all<CopiesOfPhase>(); }
    static std::map<Key, std::deque<StoreOfPhase>>& all_stores() { return all<StoreOfPhase>(); }

    void carry_out(std::deque<CopiesOfPhase>& all) const {  // those of phases that are over: they come first
        for (; !all.empty() && all.front().phase != phase; all.pop_front())
            all.front().copies->carry_out(all.front().end);
    }
    void carry_out(std::deque<StoreOfPhase>& all) const {
        for (; !all.empty() && all.front().phase != phase; all.pop_front()) all.front().carry_out();
    }
    template <class T>
    void carry_out(std::map<Key, std::deque<T>>& all) const {
        if (all.empty()) return;
        const auto found = all.find(key());
        if (found == all.end()) return;
        carry_out(found->second);
        if (found->second.empty()) all.erase(found);
    }
    template <class T>
    bool has(const std::map<Key, std::deque<T>>& all) const {  // of phases that are over
        const auto found = all.empty() ? all.end() : all.find(key());
        return found != all.end() && found->second.front().phase != phase;
    }
    bool has_copies() const { return has(all_copies()) || has(all_stores()); }
    void carry_out_copies() const {
        carry_out(all_copies());
        carry_out(all_stores());
    }
};
static_assert(sizeof(Mbarrier) == 8, "as on a GPU");

inline Mbarrier& barrier_at(void* p) { return *static_cast<Mbarrier*>(p); }

// A barrier that a function takes from its own block only.
inline Mbarrier& own_barrier_at(void* p, const char* function, Location where) {
    if (in_shared(p).owner != grid.running)
        refuse(function, where, "the barrier is another block's; only its own block can do this");
    return barrier_at(p);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
