// Cutting groups into smaller ones, and functions that take any group.
#pragma once

#include "cuda_on_cpu/groups/grid_group.h"
#include "cuda_on_cpu/groups/large_tile.h"

#pragma GCC visibility push(hidden)

namespace cooperative_groups {

// ---- into tiles of a size that the compiler knows
// --------------------------------------------------------------------

namespace details {

template <class Group>
struct Cuttable : std::false_type {};
template <>
struct Cuttable<thread_block> : std::true_type {
    static constexpr unsigned size = 2048;  // any tile is smaller
};
template <unsigned Size, class Parent>
struct Cuttable<thread_block_tile<Size, Parent>> : std::true_type {
    static constexpr unsigned size = Size;
};

}  // namespace details

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&, cuda_on_cpu::Location where = {}) {
    using Cuttable = details::Cuttable<Parent>;
    static_assert(Cuttable::value, "tiled_partition<N>() takes a thread_block or a thread_block_tile");
    if constexpr (Cuttable::value) static_assert(Size < Cuttable::size, "a tile is smaller than the group it is of");
    if (Size > 32 && thread_block::size() % Size != 0)
        cuda_on_cpu::fail("tiled_partition<" + std::to_string(Size) + ">() at " + cuda_on_cpu::text(where) +
                          ": the block has " + std::to_string(thread_block::size()) + " threads");
    return {};
}

// ---- into tiles of any size
// ------------------------------------------------------------------------------------------

namespace details {

inline void check_tile_size(unsigned size, cuda_on_cpu::Location where) {
    if (!is_power_of_2(size) || size > 32)
        cuda_on_cpu::fail("tiled_partition() at " + cuda_on_cpu::text(where) + ": a size of " + std::to_string(size) +
                          "; it must be 1, 2, 4, 8, 16 or 32");
}

// The lanes of `mask` whose ranks lie in the same tile as the caller's.
inline uint32_t tile_of_lanes(uint32_t mask, unsigned size) {
    const unsigned tile = cuda_on_cpu::rank_in(mask) / size;
    uint32_t lanes = 0;
    unsigned rank = 0;
    cuda_on_cpu::for_each(mask, [&](unsigned l) { lanes |= uint32_t(rank++ / size == tile) << l; });
    return lanes;
}

}  // namespace details

inline thread_group tiled_partition(const thread_group& parent, unsigned size, cuda_on_cpu::Location where = {}) {
    details::check_tile_size(size, where);
    if (parent.type_ == thread_group::coalesced) {
        const unsigned threads = unsigned(parent.size());
        if (threads <= size) return parent;
        return thread_group(thread_group::coalesced, details::tile_of_lanes(parent.mask_, size),
                            unsigned(parent.thread_rank()) / size, (threads + size - 1) / size);
    }
    if (parent.type_ != thread_group::block)
        cuda_on_cpu::fail("tiled_partition() at " + cuda_on_cpu::text(where) + ": of a group larger than a block");
    const unsigned left = thread_block::size() - thread_block::thread_rank() / 32 * 32;  // in this warp and after it
    const uint32_t warp = left < 32 ? (1u << left) - 1 : ~0u;
    return thread_group(thread_group::coalesced, details::tile_of_lanes(warp, size), thread_block::thread_rank() / size,
                        (thread_block::size() + size - 1) / size);
}

inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size, cuda_on_cpu::Location where = {}) {
    details::check_tile_size(size, where);
    if (parent.size() <= size) return parent;
    return {details::tile_of_lanes(parent.get_mask(), size), parent.thread_rank() / size,
            (parent.size() + size - 1) / size};
}

// ---- by a value of each thread
// ---------------------------------------------------------------------------------------

namespace details {

inline coalesced_group partition_by(uint32_t mask, uint64_t label, cuda_on_cpu::Location where) {
    const uint32_t same = __match_any_sync(mask, label, where), leader = same & -same;
    const uint32_t leaders = __ballot_sync(mask, cuda_on_cpu::self->bit() == leader, where);
    return {same, unsigned(__builtin_popcount(leaders & (leader - 1))), unsigned(__builtin_popcount(leaders))};
}

inline coalesced_group partition_in_two(uint32_t mask, bool predicate, cuda_on_cpu::Location where) {
    const uint32_t yes = __ballot_sync(mask, predicate, where);
    if (yes == mask || yes == 0) return {mask, 0, 1};
    return {predicate ? yes : mask & ~yes, predicate, 2};
}

}  // namespace details

// Threads with the same label are one group. Group is a coalesced_group or a thread_block_tile.
template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label, cuda_on_cpu::Location where = {}) {
    static_assert(std::is_integral<Label>::value || std::is_pointer<Label>::value,
                  "the label of labeled_partition() is an integer or a pointer");
    if constexpr (std::is_same<Label, bool>::value)
        return details::partition_in_two(group.get_mask(), label, where);
    else
        return details::partition_by(group.get_mask(), uint64_t(label), where);
}

template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate, cuda_on_cpu::Location where = {}) {
    return details::partition_in_two(group.get_mask(), predicate, where);
}

// ---- what takes any group
// --------------------------------------------------------------------------------------------

template <class Group>
void sync(const Group& group, cuda_on_cpu::Location where = {}) {
    group.sync(where);
}
template <class Group>
auto thread_rank(const Group& group) {
    return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
    return group.num_threads();
}

inline unsigned long long thread_group::size() const {
    switch (type_) {
        case block:
            return thread_block::size();
        case grid:
            return grid_group::size();
        case cluster:
            return cluster_group::size();
        default:
            return unsigned(__builtin_popcount(mask_));
    }
}
inline unsigned long long thread_group::thread_rank() const {
    switch (type_) {
        case block:
            return thread_block::thread_rank();
        case grid:
            return grid_group::thread_rank();
        case cluster:
            return cluster_group::thread_rank();
        default:
            return cuda_on_cpu::rank_in(mask_);
    }
}
inline void thread_group::sync(cuda_on_cpu::Location where) const {
    switch (type_) {
        case block:
            return thread_block::sync(where);
        case grid:
            return this_grid().sync(where);
        case cluster:
            return cluster_group::sync(where);
        default:
            return coalesced_group(mask_, meta_rank_, meta_size_).sync(where);
    }
}

// One thread of the group calls the function. CUDA does not say which.
namespace details {

template <class Group>
unsigned chosen_rank(const Group& group) {
    return cuda_on_cpu::block.reverse ? unsigned(group.size()) - 1 : 0;
}

}  // namespace details

template <class Group, class F, class... A>
void invoke_one(const Group& group, F&& f, A&&... arguments) {
    if (group.thread_rank() == details::chosen_rank(group)) std::forward<F>(f)(std::forward<A>(arguments)...);
}

// And all get what it returned.
template <class Group, class F, class... A>
auto invoke_one_broadcast(const Group& group, F&& f, A&&... arguments) {
    using Result = std::decay_t<decltype(std::forward<F>(f)(std::forward<A>(arguments)...))>;
    static_assert(!std::is_void<Result>::value, "a function that returns nothing is for invoke_one()");
    Result result{};
    const unsigned chosen = details::chosen_rank(group);
    if (group.thread_rank() == chosen) result = std::forward<F>(f)(std::forward<A>(arguments)...);
    return group.shfl(result, chosen);
}

}  // namespace cooperative_groups

#pragma GCC visibility pop
