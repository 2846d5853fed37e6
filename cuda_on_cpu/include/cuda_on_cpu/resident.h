// Blocks that are alive at the same time: those of a cluster, and those of a grid that is launched cooperatively. Of
// the blocks of any other grid the next is started before the last one has returned only if that one waits for it.
//
// One of them runs: it is in `block`, and its shared memory is in the variables that are declared __shared__. When
// another has its turn, both are copied away, and the other's are copied in.
#pragma once

#include "cuda_on_cpu/block.h"
#include "cuda_on_cpu/runtime_api.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// ---- shared memory -------------------------------------------------------------------------------------------------

// The translator writes `static const SharedVariable ...(s);` after `__shared__ float s[32];`.
struct SharedVariable {
    static inline SharedVariable* first;
    static inline size_t total;

    template <class T>
    SharedVariable(T& variable) : address((char*)&variable), bytes(sizeof variable), place(total), next(first) {
        first = this;
        [[maybe_unused]] constexpr size_t extents[] = {std::extent_v<T, 0>, std::extent_v<T, 1>, std::extent_v<T, 2>};
        CUDA_ON_CPU_RECORD(shared_array(address, bytes, sizeof(std::remove_all_extents_t<T>), extents));
        place += (reinterpret_cast<uintptr_t>(address) - place) % 1024;  // a copy is swizzled as the variable is
        total = place + bytes;
    }

    char* address;
    size_t bytes;
    size_t place;  // of its copy in a block's
    SharedVariable* next;
    uint64_t launch = 0;      // the last one that has asked for its 32-bit address: shared_address.h
    uint32_t shared_address;  // in that launch
};

// extern __shared__ T name[] becomes T* const name = dynamic_shared().
alignas(1024) inline char dynamic_memory[max_dynamic_shared];
struct DynamicShared {
    template <class T>
    operator T*() const {
        return reinterpret_cast<T*>(dynamic_memory);
    }
};
inline DynamicShared dynamic_shared() { return {}; }

// ---- the blocks that are alive -------------------------------------------------------------------------------------

// A barrier between blocks. Each phase has a number of its own, so that a thread that waits sees when it has ended.
struct Phase {
    unsigned number, arrived;
    void begin() {
        static unsigned last;
        number = ++last, arrived = 0;
    }
};

constexpr unsigned max_cluster_size = 8, max_residents = multiprocessors * 32;

struct Cluster;
struct Resident {
    Room* room;
    Block block;  // while another one runs, as it was left
    Cluster* cluster;
    unsigned rank;        // in the cluster
    bool has_copy;        // of its shared memory, since it was left once
    char* copy;           // first the dynamic kind
    unsigned stores;      // on their way into its shared memory or out of it: st.async, cp.async.bulk
    Location last_store;  // of them
};

struct Cluster {  // of one block, unless the launch asks for more
    Resident* blocks[max_cluster_size];
    Phase phase;
};

struct Grid {  // that of the launch that runs
    dim3 cluster;
    bool has_clusters;  // a launch without them has clusters of one block, and some instructions are illegal
    bool cooperative;
    size_t dynamic;     // bytes of dynamic shared memory
    uint64_t clusters;  // in the grid
    uint64_t started;   // of them
    unsigned limit;     // how many blocks may be alive at once
    Phase phase;
    Cluster* alive[max_residents];  // those with a block that has not returned
    unsigned alive_count;
    Resident* running;                // its block is in `block`
    Resident* unused[max_residents];  // kept from launch to launch: their stacks are used again
    unsigned unused_count;
};
inline Grid grid;

inline unsigned cluster_size() { return grid.cluster.x * grid.cluster.y * grid.cluster.z; }

inline const Block& block_of(const Resident& r) { return &r == grid.running ? block : r.block; }

template <class F>
void for_each_resident(F f) {
    for (unsigned c = 0; c < grid.alive_count; c++)
        for (unsigned rank = 0; rank < cluster_size(); rank++) f(*grid.alive[c]->blocks[rank]);
}

// Where a block keeps its copy. Address space for more than enough; the system gives memory to what is touched.
inline char* copy_of(Resident& r) {
    constexpr size_t size = size_t(32) << 20;
    if (max_dynamic_shared + 1024 + SharedVariable::total > size)
        throw std::runtime_error("CUDA on CPU: more than 31 MB of static shared memory in one program");
    if (!r.copy) {
        void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        r.copy = static_cast<char*>(memory);
    }
    return r.copy;
}
constexpr size_t static_place = (max_dynamic_shared + 1023) / 1024 * 1024;

// An array in shared memory: where the block that runs has it, and its place in a block's copy. Null: there is none.
struct SharedArray {
    char* address;
    size_t bytes, place;
};
template <class F>
SharedArray find_shared_array(F contains) {
    if (const SharedArray all = {dynamic_memory, grid.dynamic, 0}; contains(all)) return all;
    for (const SharedVariable* v = SharedVariable::first; v; v = v->next)
        if (const SharedArray array = {v->address, v->bytes, static_place + v->place}; contains(array)) return array;
    return {};
}
inline SharedArray shared_array_at(const char* p) {
    return find_shared_array([p](SharedArray a) { return p >= a.address && p < a.address + a.bytes; });
}
inline SharedArray shared_array_in_copy(ptrdiff_t place) {
    return find_shared_array([place](SharedArray a) { return size_t(place) - a.place < a.bytes; });
}

inline void leave_block() {
    Resident& r = *grid.running;
    r.block = block;
    char* copy = copy_of(r);
    r.has_copy = true;
    memcpy(copy, dynamic_memory, grid.dynamic);
    for (const SharedVariable* v = SharedVariable::first; v; v = v->next)
        memcpy(copy + static_place + v->place, v->address, v->bytes);
}

inline void enter_block(Resident& r) {
    if (&r == grid.running) return;
    if (grid.running) leave_block();
    grid.running = &r;
    block = r.block, blockIdx = block.index;
    if (!r.has_copy) return;
    memcpy(dynamic_memory, r.copy, grid.dynamic);
    for (const SharedVariable* v = SharedVariable::first; v; v = v->next)
        memcpy(v->address, r.copy + static_place + v->place, v->bytes);
}

// ---- starting them -------------------------------------------------------------------------------------------------

inline void number_threads(Room& room) {
    unsigned rank = 0;
    for (unsigned z = 0; z < blockDim.z; z++)
        for (unsigned y = 0; y < blockDim.y; y++)
            for (unsigned x = 0; x < blockDim.x; x++, rank++)
                room.threads[rank].index = {x, y, z}, room.threads[rank].rank = rank, room.threads[rank].called = {},
                room.threads[rank].said_no_at = nullptr,
                room.threads[rank].grid_phase = room.threads[rank].cluster_phase = 0;
}

// A block at its start; no thread has run.
inline void begin_block(Block& b, uint3 index) {
    b.index = index;
    b.alive = b.size;
    b.started = b.fibers_used = b.at_barrier = b.votes = b.ready_warps = b.fair_turn = 0;
    b.turn_over = false;
    for (unsigned w = 0; w * 32 < b.size; w++) {
        Warp& warp = b.warps[w];
        warp.alive = b.size - w * 32 >= 32 ? ~0u : (1u << b.size % 32) - 1;
        warp.ready = warp.at_barrier = warp.at_activemask = warp.at_condition = warp.at_warp = 0;
        memset(warp.meetings, 0, sizeof warp.meetings);
    }
    CUDA_ON_CPU_RECORD(begin_block(b.warps, index.x, index.y, index.z));
}

inline Resident& unused_resident() {
    if (grid.unused_count > 0) return *grid.unused[--grid.unused_count];
    static bool first = true;
    Resident& r = *new Resident();  // never deleted: its room has the stacks
    r.room = first ? &first_room : new Room();
    first = false;
    return r;
}

// The index of the nth thing of a grid, x first; from the other end with CUDA_REVERSE.
inline uint3 nth_index(uint64_t n, dim3 of) {
    if (block.reverse) n = uint64_t(of.x) * of.y * of.z - 1 - n;
    return {unsigned(n % of.x), unsigned(n / of.x % of.y), unsigned(n / of.x / of.y)};
}

inline bool may_start_cluster() {
    return grid.started < grid.clusters && (grid.alive_count + 1) * cluster_size() <= grid.limit;
}

// Starts all blocks of the grid's next cluster.
inline void start_cluster() {
    Cluster& c = *new Cluster;
    grid.alive[grid.alive_count++] = &c;
    c.phase.begin();
    const dim3 size = grid.cluster;
    const uint3 at = nth_index(grid.started++, {gridDim.x / size.x, gridDim.y / size.y, gridDim.z / size.z});
    for (unsigned rank = 0; rank < cluster_size(); rank++) {
        Resident& r = unused_resident();
        c.blocks[rank] = &r;
        r.cluster = &c, r.rank = rank, r.has_copy = false, r.stores = 0;
        r.block = block;
        r.block.threads = r.room->threads, r.block.warps = r.room->warps, r.block.fibers = r.room->fibers;
        number_threads(*r.room);
        begin_block(r.block, {at.x * size.x + rank % size.x, at.y * size.y + rank / size.x % size.y,
                              at.z * size.z + rank / size.x / size.y});
    }
}

// Forgets the clusters whose blocks have all returned, or all that there are.
inline void end_clusters(bool all) {
    unsigned kept = 0;
    for (unsigned i = 0; i < grid.alive_count; i++) {
        Cluster* c = grid.alive[i];
        bool has_ended = true;
        for (unsigned rank = 0; rank < cluster_size(); rank++)
            has_ended &= all || block_of(*c->blocks[rank]).alive == 0;
        if (!has_ended) {
            grid.alive[kept++] = c;
            continue;
        }
        for (unsigned rank = 0; rank < cluster_size(); rank++) {
            if (c->blocks[rank] == grid.running) grid.running = nullptr;
            grid.unused[grid.unused_count++] = c->blocks[rank];
        }
        delete c;
    }
    grid.alive_count = kept;
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
