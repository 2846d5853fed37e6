// Bulk copies: cp.async.bulk, and cp.async.bulk.tensor, which a tensor map describes (TMA).
//
// As with cp.async (async_copy.h), a copy happens as late as is allowed, or with CUDA_REVERSE=1 at once. Where it is
// late, the place that it will fill is full of NaN meanwhile.
#pragma once

#include "cuda_on_cpu/mbarrier.h"
#include "cuda_on_cpu/tensor_box.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

constexpr char bulk[] = "cp.async.bulk", bulk_tensor[] = "cp.async.bulk.tensor";

inline void check_alignment(const char* function, Location where, const void* p, unsigned alignment, const char* what) {
    if (reinterpret_cast<uintptr_t>(p) % alignment != 0)
        refuse(function, where, format("the address in %s memory is not aligned to %u bytes", what, alignment));
}
inline void check_bulk(Location where, const void* shared, const void* other, const char* others, unsigned bytes) {
    if (bytes % 16 != 0) refuse(bulk, where, format("%u bytes: the size must be a multiple of 16", bytes));
    check_alignment(bulk, where, shared, 16, "shared");
    check_alignment(bulk, where, other, 16, others);
}

// ---- into shared memory: an mbarrier counts the bytes --------------------------------------------------------------

// To all blocks of the cluster that `mask` names, at the same place in each, or (-1) to where `to` points. Each block's
// barrier counts all bytes (PTX ISA, cp.async.bulk.tensor, .multicast::cluster).
using WriteShared = std::function<void(char*)>;
inline void bulk_write(char* to, char* barrier, int mask, size_t bytes, const WriteShared& write, const char* function,
                       Location where) {
    if (mask >= 0 && unsigned(mask) >> cluster_size())
        refuse(function, where, format("the mask 0x%x names blocks that the cluster does not have", unsigned(mask)));
    for (unsigned rank = 0; rank < (mask < 0 ? 1 : cluster_size()); rank++) {
        if (mask >= 0 && !(mask >> rank & 1)) continue;
        char* there = mask < 0 ? to : static_cast<char*>(map_shared_rank(to, rank));
        char* its_barrier = mask < 0 ? barrier : static_cast<char*>(map_shared_rank(barrier, rank));
        async_array(in_shared(there).pointer, bytes, function, where);
        reinterpret_cast<Mbarrier*>(its_barrier)->deliver(there, bytes, write, true, function, where);
    }
}

template <size_t N>
void tensor_load(char* to, const void* map, const std::array<int, N>& corner, char* barrier, int mask, Location where) {
    check_alignment(bulk_tensor, where, in_shared(to).pointer, 128, "shared");
    const TensorBox box = tensor_box(map, corner, TensorCopy::load, bulk_tensor, where);
    const auto write = [box](char* shared) { box.load(shared); };
    bulk_write(to, barrier, mask, box.map.box_bytes(), write, bulk_tensor, where);
}

inline void bulk_load(char* to, const char* from, unsigned bytes, char* barrier, int mask, Location where) {
    check_bulk(where, to, from, "global", bytes);
    CUDA_ON_CPU_RECORD(touches(from, bytes, false, where.file, where.line));
    bulk_write(to, barrier, mask, bytes, [from, bytes](char* shared) { memcpy(shared, from, bytes); }, bulk, where);
}

inline void bulk_to_cluster(char* to, const char* from, unsigned bytes, char* barrier, Location where) {
    check_bulk(where, to, from, "shared", bytes);
    check_async_read(async_array(from, bytes, bulk, where), from, bytes, bulk, where);
    const std::string value(from, bytes);  // another block runs when it arrives
    bulk_write(
        to, barrier, -1, bytes, [value](char* shared) { memcpy(shared, value.data(), value.size()); }, bulk, where);
}

// ---- from shared memory: groups of a thread, with commit and wait --------------------------------------------------
struct BulkGroups {
    OfBlock block = {};
    std::deque<std::vector<std::function<void()>>> groups = {{}};  // the last one is still open
};

inline BulkGroups& my_bulk_groups() {
    static std::unordered_map<const Thread*, BulkGroups> all;
    BulkGroups& mine = all[self];
    if (!mine.block.is(blockIdx)) mine = {{launch_number, blockIdx}, {{}}};
    return mine;
}

inline void bulk_read(std::function<void()> copy, Location where) {
    Resident* r = grid.running;
    r->stores++, r->last_store = where;
    if (copies_at_once()) copy(), copy = [] {};
    my_bulk_groups().groups.back().push_back([copy, r] { copy(), r->stores--; });
}

template <size_t N>
void tensor_store(const void* map, const std::array<int, N>& corner, const char* from, Location where) {
    check_alignment(bulk_tensor, where, from, 128, "shared");
    const TensorBox box = tensor_box(map, corner, TensorCopy::store, bulk_tensor, where);
    const size_t bytes = box.map.box_bytes();
    check_async_read(async_array(from, bytes, bulk_tensor, where), from, bytes, bulk_tensor, where);
    bulk_read([box, from] { box.store(from); }, where);
}

inline void bulk_store(char* to, const char* from, unsigned bytes, Location where) {
    check_bulk(where, from, to, "global", bytes);
    check_async_read(async_array(from, bytes, bulk, where), from, bytes, bulk, where);
    CUDA_ON_CPU_RECORD(touches(to, bytes, true, where.file, where.line));
    bulk_read([=] { memcpy(to, from, bytes); }, where);
}

inline void bulk_commit() { my_bulk_groups().groups.emplace_back(); }
// With .read a GPU waits for the reads only. Nothing is to be seen of the difference here: the writes follow at once.
inline void bulk_wait(int groups_left) {
    auto& groups = my_bulk_groups().groups;
    for (; int(groups.size()) - 1 > groups_left; groups.pop_front())
        for (const std::function<void()>& copy : groups.front()) copy();
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
