// Blocks that are alive at the same time: those of a cluster, and those of a grid that is launched cooperatively. Of
// the blocks of any other grid the next is started before the last one has returned only if that one waits for it.
//
// One of them runs: it is in `block`, and its shared memory is in the variables that are declared __shared__. When
// another has its turn, both are copied away, and the other's are copied in.
#pragma once

#include <memory>
#include <vector>

#include "cuda_on_cpu/block.h"
#include "cuda_on_cpu/runtime_api.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// ---- shared memory -------------------------------------------------------------------------------------------------

struct SharedVariable {
    char* address;
    size_t bytes;
};
inline std::vector<SharedVariable>& shared_variables() {
    static std::vector<SharedVariable> list;
    return list;
}

// The translator writes, behind `__shared__ float s[32];`, static const bool ... = shared_variable(s);
template <class T>
bool shared_variable(T& variable) {
    shared_variables().push_back({(char*)&variable, sizeof variable});
    return true;
}

// extern __shared__ T name[] becomes T* const name = dynamic_shared().
alignas(128) inline char dynamic_memory[max_dynamic_shared];
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

struct Cluster;
struct Resident {
    Room* room;
    Block block;  // while another one runs, as it was left
    Cluster* cluster;
    unsigned rank;              // in the cluster
    std::vector<char> dynamic;  // its shared memory, as it was left
    std::vector<std::vector<char>> variables;
};

struct Cluster {  // of one block, unless the launch asks for more
    std::vector<Resident*> blocks;
    Phase phase;
};

struct Grid {  // that of the launch that runs
    dim3 cluster;
    bool cooperative;
    size_t dynamic;     // bytes of dynamic shared memory
    uint64_t clusters;  // in the grid
    uint64_t started;   // of them
    unsigned limit;     // how many blocks may be alive at once
    Phase phase;
    std::vector<Cluster*> alive;                       // with at least one block that has not returned
    Resident* running;                                 // its block is in `block`
    std::vector<std::unique_ptr<Resident>> residents;  // kept from launch to launch: their stacks are used again
    std::vector<Resident*> unused;
};
inline Grid grid;

inline unsigned cluster_size() { return grid.cluster.x * grid.cluster.y * grid.cluster.z; }

inline const Block& block_of(const Resident& r) { return &r == grid.running ? block : r.block; }

inline void leave_block() {
    Resident& r = *grid.running;
    r.block = block;
    r.dynamic.assign(dynamic_memory, dynamic_memory + grid.dynamic);
    const auto& variables = shared_variables();
    r.variables.resize(variables.size());
    for (size_t i = 0; i < variables.size(); i++)
        r.variables[i].assign(variables[i].address, variables[i].address + variables[i].bytes);
}

inline void enter_block(Resident& r) {
    if (&r == grid.running) return;
    if (grid.running) leave_block();
    grid.running = &r;
    block = r.block, blockIdx = block.index;
    std::copy(r.dynamic.begin(), r.dynamic.end(), dynamic_memory);
    for (size_t i = 0; i < r.variables.size(); i++)
        std::copy(r.variables[i].begin(), r.variables[i].end(), shared_variables()[i].address);
}

// ---- starting them -------------------------------------------------------------------------------------------------

inline void number_threads(Room& room) {
    unsigned rank = 0;
    for (unsigned z = 0; z < blockDim.z; z++)
        for (unsigned y = 0; y < blockDim.y; y++)
            for (unsigned x = 0; x < blockDim.x; x++, rank++)
                room.threads[rank].index = {x, y, z}, room.threads[rank].rank = rank;
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
}

inline Resident& unused_resident() {
    if (grid.unused.empty()) {
        grid.residents.push_back(std::make_unique<Resident>());
        Resident& r = *grid.residents.back();
        r.room = grid.residents.size() == 1 ? &first_room : new Room();  // never deleted: it has the stacks
        grid.unused.push_back(&r);
    }
    Resident& r = *grid.unused.back();
    grid.unused.pop_back();
    return r;
}

// The index of the nth thing of a grid, x first; from the other end with CUDA_REVERSE.
inline uint3 nth_index(uint64_t n, dim3 of) {
    if (block.reverse) n = uint64_t(of.x) * of.y * of.z - 1 - n;
    return {unsigned(n % of.x), unsigned(n / of.x % of.y), unsigned(n / of.x / of.y)};
}

inline bool may_start_cluster() {
    return grid.started < grid.clusters && (grid.alive.size() + 1) * cluster_size() <= grid.limit;
}

// Starts all blocks of the grid's next cluster.
inline void start_cluster() {
    Cluster& c = *new Cluster;
    grid.alive.push_back(&c);
    c.phase.begin();
    const dim3 size = grid.cluster;
    const uint3 at = nth_index(grid.started++, {gridDim.x / size.x, gridDim.y / size.y, gridDim.z / size.z});
    for (unsigned rank = 0; rank < cluster_size(); rank++) {
        Resident& r = unused_resident();
        c.blocks.push_back(&r);
        r.cluster = &c, r.rank = rank;
        r.dynamic.clear(), r.variables.clear();
        r.block = block;
        r.block.threads = r.room->threads, r.block.warps = r.room->warps, r.block.fibers = r.room->fibers;
        number_threads(*r.room);
        begin_block(r.block, {at.x * size.x + rank % size.x, at.y * size.y + rank / size.x % size.y,
                              at.z * size.z + rank / size.x / size.y});
    }
}

// Forgets the clusters whose blocks have all returned, or all that there are.
inline void end_clusters(bool all) {
    const auto has_ended = [&](Cluster* c) {
        for (const Resident* r : c->blocks)
            if (!all && block_of(*r).alive > 0) return false;
        for (Resident* r : c->blocks) {
            if (r == grid.running) grid.running = nullptr;
            grid.unused.push_back(r);
        }
        delete c;
        return true;
    };
    grid.alive.erase(std::remove_if(grid.alive.begin(), grid.alive.end(), has_ended), grid.alive.end());
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
