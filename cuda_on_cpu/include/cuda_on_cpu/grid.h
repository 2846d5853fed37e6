// What the blocks of a cluster, and of a grid that was launched cooperatively, do together: barriers, and access to one
// another's shared memory. cooperative_groups.h is made of these.
#pragma once

#include "cuda_on_cpu/resident.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// ---- barriers ------------------------------------------------------------------------------------------------------

// mine: the number of the phase in which this thread has arrived; 0 again when it has waited for its end.
inline void arrive(Phase& phase, unsigned& mine, const char* function, Location where) {
    if (mine) fail(std::string(function) + " at " + text(where) + ": has arrived there already, and not waited");
    mine = phase.number;
    phase.arrived++;
}

inline void record_barrier([[maybe_unused]] const Phase& phase) {
#ifdef CUDA_ON_CPU_MEMORY_CHECK
    if (&phase == &grid.phase) return cuda_on_cpu_recorder::grid_barrier();
    const void* rooms[max_cluster_size];
    for (unsigned rank = 0; rank < cluster_size(); rank++)
        rooms[rank] = block_of(*grid.running->cluster->blocks[rank]).warps;
    cuda_on_cpu_recorder::cluster_barrier(rooms, cluster_size());
#endif
}

// Ends the phase if all have arrived.
inline bool has_passed(Phase& phase, unsigned mine, uint64_t expected) {
    const bool ends = mine == phase.number && phase.arrived >= expected;
    if (ends) phase.begin();
    if (ends) record_barrier(phase);
    return mine != phase.number;
}

template <class Expected>
void wait(Phase& phase, unsigned& mine, Expected expected, const char* function, Location where) {
    if (!mine) fail(std::string(function) + " at " + text(where) + ": has not arrived there before");
    wait_until([&] { return has_passed(phase, mine, expected()); }, function, where);
    mine = 0;
}

// A thread that has returned is not waited for.
inline unsigned threads_of(const Cluster& c) {
    unsigned threads = 0;
    for (unsigned rank = 0; rank < cluster_size(); rank++) threads += block_of(*c.blocks[rank]).alive;
    return threads;
}

inline void cluster_arrive(Location where = {}) {
    arrive(grid.running->cluster->phase, self->cluster_phase, "cluster_arrive()", where);
}
inline void cluster_wait(const char* function = "cluster_wait()", Location where = {}) {
    Cluster& c = *grid.running->cluster;
    wait(c.phase, self->cluster_phase, [&c] { return threads_of(c); }, function, where);
}
inline void cluster_sync(Location where = {}) {
    cluster_arrive(where);
    cluster_wait("cluster.sync()", where);
}

inline bool is_cooperative() { return grid.cooperative; }

// In a grid a block that has returned is missing for ever, as on a GPU.
inline uint64_t threads_of_grid() {
    uint64_t threads = 0, blocks = 0;
    for_each_resident([&](const Resident& r) {
        threads += block_of(r).alive;
        blocks += block_of(r).alive > 0;
    });
    return blocks == grid.clusters * cluster_size() ? threads : UINT64_MAX;
}

inline void grid_arrive(Location where = {}) {
    if (!grid.cooperative)
        fail("a barrier of the grid at " + text(where) + " needs a launch with cudaLaunchCooperativeKernel()");
    arrive(grid.phase, self->grid_phase, "grid.barrier_arrive()", where);
}
inline void grid_wait(const char* function = "grid.barrier_wait()", Location where = {}) {
    wait(grid.phase, self->grid_phase, threads_of_grid, function, where);
}
inline void grid_sync(Location where = {}) {
    grid_arrive(where);
    grid_wait("grid.sync()", where);
}

// ---- the cluster ---------------------------------------------------------------------------------------------------

inline dim3 cluster_dim() { return grid.cluster; }  // in blocks; 1 without a cluster
inline unsigned cluster_rank() { return grid.running->rank; }
inline uint3 cluster_block_index() {  // in the cluster
    return {blockIdx.x % grid.cluster.x, blockIdx.y % grid.cluster.y, blockIdx.z % grid.cluster.z};
}
inline uint3 cluster_index() {  // in the grid
    return {blockIdx.x / grid.cluster.x, blockIdx.y / grid.cluster.y, blockIdx.z / grid.cluster.z};
}
inline dim3 grid_in_clusters() {
    return {gridDim.x / grid.cluster.x, gridDim.y / grid.cluster.y, gridDim.z / grid.cluster.z};
}

// Where the block of that rank has what this block has at `pointer`, in shared memory: in the copy that was made when
// that block was left. The address is for this block only.
inline void* map_shared_rank(const void* pointer, unsigned rank) {
    if (rank >= cluster_size()) fail("map_shared_rank(): the cluster has no block of rank " + std::to_string(rank));
    Resident& r = *grid.running->cluster->blocks[rank];
    if (&r == grid.running) return const_cast<void*>(pointer);
    if (r.block.alive == 0) fail("map_shared_rank(): the block of rank " + std::to_string(rank) + " has returned");
    const char* p = static_cast<const char*>(pointer);
    const SharedArray array = shared_array_at(p);
    if (!array.address) fail("map_shared_rank(): the address is not in shared memory");
    char* copy = copy_of(r) + array.place;
    CUDA_ON_CPU_RECORD(shared_copy(copy, array.bytes, array.address, r.block.warps));
    if (!r.has_copy) memset(r.copy, 0, static_place + SharedVariable::total);  // its block has not started
    r.has_copy = true;
    return copy + (p - array.address);
}

// What a pointer that map_shared_rank() gave means: which block's shared memory, and where that block itself sees it.
// Any other pointer is the running block's.
struct InShared {
    Resident* owner;
    char* pointer;
};
inline InShared in_shared(const void* pointer) {
    char* p = static_cast<char*>(const_cast<void*>(pointer));
    for (unsigned rank = 0; rank < cluster_size(); rank++) {
        Resident& r = *grid.running->cluster->blocks[rank];
        if (&r == grid.running || !r.copy) continue;
        if (const SharedArray array = shared_array_in_copy(p - r.copy); array.address)
            return {&r, array.address + (p - r.copy - ptrdiff_t(array.place))};
    }
    return {grid.running, p};
}

// The rank of the block whose shared memory has this address.
inline unsigned query_shared_rank(const void* pointer) { return in_shared(pointer).owner->rank; }

// A name for what lies there, the same for all blocks of the cluster.
inline const void* name_in_cluster(const void* pointer) {
    const char* p = static_cast<const char*>(pointer);
    const SharedArray array = shared_array_at(p);
    return array.address ? copy_of(*grid.running) + array.place + (p - array.address) : p;
}

// __cluster_dims__(x, y, z) of a kernel becomes a call of this at its start. The first thread that comes there finds
// that the launch was an ordinary one, before it has done anything; the launch begins again, with clusters.
struct NeedsClusters {
    dim3 size;
};
inline void cluster_dims(unsigned x, unsigned y = 1, unsigned z = 1) {
    const bool same = grid.cluster.x == x && grid.cluster.y == y && grid.cluster.z == z;
    if (!grid.has_clusters || !same) throw NeedsClusters{{x, y, z}};
}

}  // namespace cuda_on_cpu

// What CUDA's own cooperative_groups.h is made of.
inline void __cluster_barrier_arrive(cuda_on_cpu::Location where = {}) { cuda_on_cpu::cluster_arrive(where); }
inline void __cluster_barrier_arrive_relaxed(cuda_on_cpu::Location where = {}) { cuda_on_cpu::cluster_arrive(where); }
inline void __cluster_barrier_wait(cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::cluster_wait("__cluster_barrier_wait()", where);
}
inline dim3 __clusterDim() { return cuda_on_cpu::cluster_dim(); }
inline bool __clusterDimIsSpecified() { return cuda_on_cpu::cluster_size() > 1; }
inline dim3 __clusterRelativeBlockIdx() { return cuda_on_cpu::cluster_block_index(); }
inline dim3 __clusterIdx() { return cuda_on_cpu::cluster_index(); }
inline dim3 __clusterGridDimInClusters() { return cuda_on_cpu::grid_in_clusters(); }
inline unsigned __clusterRelativeBlockRank() { return cuda_on_cpu::cluster_rank(); }
inline unsigned __clusterSizeInBlocks() { return cuda_on_cpu::cluster_size(); }
inline void* __cluster_map_shared_rank(const void* pointer, unsigned rank) {
    return cuda_on_cpu::map_shared_rank(pointer, rank);
}
inline unsigned __cluster_query_shared_rank(const void* pointer) { return cuda_on_cpu::query_shared_rank(pointer); }

#pragma GCC visibility pop
