// Groups of threads of one warp: coalesced_group, of any lanes, and thread_block_tile, of a power of two in a row.
#pragma once

#include "cuda_on_cpu/groups/lanes.h"
#include "cuda_on_cpu/groups/thread_group.h"

#pragma GCC visibility push(hidden)

namespace cooperative_groups {

class coalesced_group : public thread_group, public cuda_on_cpu::Lanes<coalesced_group> {
    using Lanes = cuda_on_cpu::Lanes<coalesced_group>;

public:
    coalesced_group(uint32_t mask, unsigned meta_rank, unsigned meta_size)
        : thread_group(coalesced, mask, meta_rank, meta_size) {}

    using Lanes::sync;
    unsigned num_threads() const { return unsigned(__builtin_popcount(mask_)); }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const { return cuda_on_cpu::rank_in(mask_); }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }
    uint32_t get_mask() const { return mask_; }

    template <class T>
    T shfl(T value, unsigned rank, cuda_on_cpu::Location where = {}) const {
        if (mask_ == ~0u) rank %= 32;
        if (rank >= size()) cuda_on_cpu::fail_rank("group.shfl()", rank, where);
        return from_rank("group.shfl()", value, rank, where);
    }
    // Without a thread that far up or down the value is the thread's own. In a full warp the hardware looks at five
    // bits of the distance.
    template <class T>
    T shfl_up(T value, unsigned delta, cuda_on_cpu::Location where = {}) const {
        if (mask_ == ~0u) delta %= 32;
        const unsigned rank = thread_rank();
        return from_rank("group.shfl_up()", value, delta <= rank ? rank - delta : rank, where);
    }
    template <class T>
    T shfl_down(T value, unsigned delta, cuda_on_cpu::Location where = {}) const {
        if (mask_ == ~0u) delta %= 32;
        const unsigned rank = thread_rank();
        return from_rank("group.shfl_down()", value, delta < size() - rank ? rank + delta : rank, where);
    }

private:
    template <class T>
    T from_rank(const char* function, T value, unsigned rank, cuda_on_cpu::Location where) const {
        return cuda_on_cpu::shuffle_any(function, mask_, value, cuda_on_cpu::lane_of_rank(mask_, rank), where);
    }
};

// The threads of the warp that are here together.
inline coalesced_group coalesced_threads(cuda_on_cpu::Location where = {}) { return {__activemask(where), 0, 1}; }

// ---- thread_block_tile ---------------------------------------------------------------------------------------------

// Parent is the type of the group that was cut into tiles, or void: a tile from anywhere.
template <unsigned Size, class Parent = void>
class thread_block_tile;

namespace details {

constexpr bool is_power_of_2(unsigned n) { return n && (n & (n - 1)) == 0; }

template <unsigned Size>
struct TileSize {
    static_assert(is_power_of_2(Size) && Size <= 1024, "the size of a tile is a power of 2, at most 1024");
    static unsigned thread_rank() { return cuda_on_cpu::self->rank % Size; }
    static constexpr unsigned num_threads() { return Size; }
    static constexpr unsigned size() { return Size; }
};

// What a tile of one warp does. The rules for lanes out of the tile are those of __shfl_sync().
template <unsigned Size>
class SmallTile : public TileSize<Size>, public cuda_on_cpu::Lanes<SmallTile<Size>> {
public:
    static uint32_t get_mask() { return (~0u >> (32 - Size)) << (cuda_on_cpu::self->lane() & -Size); }

    template <class T>
    T shfl(T value, int rank, cuda_on_cpu::Location where = {}) const {
        return shuffle("tile.shfl()", cuda_on_cpu::source_idx, value, unsigned(rank), where);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, cuda_on_cpu::Location where = {}) const {
        return shuffle("tile.shfl_up()", cuda_on_cpu::source_up, value, delta, where);
    }
    template <class T>
    T shfl_down(T value, unsigned delta, cuda_on_cpu::Location where = {}) const {
        return shuffle("tile.shfl_down()", cuda_on_cpu::source_down, value, delta, where);
    }
    template <class T>
    T shfl_xor(T value, unsigned bits, cuda_on_cpu::Location where = {}) const {
        return shuffle("tile.shfl_xor()", cuda_on_cpu::source_xor, value, bits, where);
    }

private:
    using Source = unsigned(unsigned lane, unsigned width, unsigned second);
    template <class T>
    static T shuffle(const char* function, Source source, T value, unsigned second, cuda_on_cpu::Location where) {
        const unsigned from = source(cuda_on_cpu::self->lane(), Size, second % 32);
        return cuda_on_cpu::shuffle_any(function, get_mask(), value, from, where);
    }
};

template <unsigned Size>
class LargeTile;

// It can be passed as a thread_group.
template <unsigned Size>
class SmallTileOfAny : public SmallTile<Size>, public thread_group {
public:
    SmallTileOfAny(unsigned meta_rank, unsigned meta_size)
        : thread_group(coalesced, SmallTile<Size>::get_mask(), meta_rank, meta_size) {}
    using SmallTile<Size>::sync;
    using SmallTile<Size>::size;
    using SmallTile<Size>::num_threads;
    using SmallTile<Size>::thread_rank;
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }
};

template <unsigned Size>
class LargeTileOfAny : public LargeTile<Size> {
public:
    LargeTileOfAny(unsigned meta_rank, unsigned meta_size) : meta_rank_(meta_rank), meta_size_(meta_size) {}
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }

private:
    unsigned meta_rank_, meta_size_;
};

template <unsigned Size>
using Tile = std::conditional_t<(Size <= 32), SmallTile<Size>, LargeTile<Size>>;
template <unsigned Size>
using TileOfAny = std::conditional_t<(Size <= 32), SmallTileOfAny<Size>, LargeTileOfAny<Size>>;

}  // namespace details

template <unsigned Size, class Parent>
class thread_block_tile : public details::Tile<Size> {
public:
    static unsigned meta_group_rank() { return Parent::thread_rank() / Size; }
    static unsigned meta_group_size() { return (Parent::size() + Size - 1) / Size; }
    operator thread_block_tile<Size>() const { return {meta_group_rank(), meta_group_size()}; }
};

template <unsigned Size>
class thread_block_tile<Size, void> : public details::TileOfAny<Size> {
    using Base = details::TileOfAny<Size>;

public:
    using Base::Base;
    template <class Parent>
    thread_block_tile(const thread_block_tile<Size, Parent>& tile)
        : Base(tile.meta_group_rank(), tile.meta_group_size()) {}
};

// A group of the calling thread alone.
inline thread_block_tile<1> this_thread() { return {0, 1}; }

}  // namespace cooperative_groups

#pragma GCC visibility pop
