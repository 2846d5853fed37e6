// thread_block_tile of 64 to 1024 threads: some warps of a block in a row.
#pragma once

#include "cuda_on_cpu/groups/tile.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

constexpr unsigned log_2(unsigned n) { return n == 1 ? 0 : 1 + log_2(n / 2); }

// Returns when all threads of the tile have come; each has left `value` in its warp's table. Each warp counts how often
// it has met the others of a tile of that size.
template <unsigned Size>
void meet(uint64_t value, const char* function, Location where) {
    constexpr unsigned kind = log_2(Size / 64), warps = Size / 32;
    const Combine count = [](Warp& warp, uint32_t) { warp.meetings[kind]++; };
    const Warp& mine = warp_of(*self);
    const Warp* const first = &mine - self->rank / 32 % warps;
    CUDA_ON_CPU_RECORD(release(&first->meetings[kind]));
    exchange(function, ~0u, value, 0, count, where);
    const uint32_t meeting = mine.meetings[kind];
    const auto all_there = [=] {
        return std::all_of(first, first + warps, [=](const Warp& w) { return int(w.meetings[kind] - meeting) >= 0; });
    };
    wait_until(all_there, function, where);
    CUDA_ON_CPU_RECORD(acquire(&first->meetings[kind]));
}

// Gives f a function that returns the value of the tile's thread of any rank, and returns what f returns.
template <unsigned Size, class T, class F>
auto with_values(const char* function, T value, Location where, F f) {
    static_assert(sizeof(T) <= 8, "tiles of more than 32 threads exchange values of at most 8 bytes");
    static_assert(std::is_trivially_copyable<T>::value, "cooperative groups exchange values of trivial types");
    const uint64_t address = reinterpret_cast<uintptr_t>(&value);  // on this thread's stack, which others read
    meet<Size>(address, function, where);
    const unsigned start = self->rank & -Size;
    const auto result = f([start](unsigned rank) -> const T& {
        return *reinterpret_cast<const T*>(block.warps[(start + rank) / 32].value[(start + rank) % 32]);
    });
    meet<Size>(address, function, where);  // nobody leaves before all have read
    return result;
}

}  // namespace cuda_on_cpu

namespace cooperative_groups {
namespace details {

template <unsigned Size>
class LargeTile : public TileSize<Size> {
public:
    void sync(cuda_on_cpu::Location where = {}) const { cuda_on_cpu::meet<Size>(0, "tile.sync()", where); }

    template <class T>
    T shfl(T value, unsigned rank, cuda_on_cpu::Location where = {}) const {
        if (rank >= Size) cuda_on_cpu::fail_rank("tile.shfl()", rank, where);
        return cuda_on_cpu::with_values<Size>("tile.shfl()", value, where,
                                              [=](auto value_of) { return value_of(rank); });
    }
    int any(int predicate, cuda_on_cpu::Location where = {}) const { return count("tile.any()", predicate, where) > 0; }
    int all(int predicate, cuda_on_cpu::Location where = {}) const {
        return count("tile.all()", predicate, where) == Size;
    }

private:
    static unsigned count(const char* function, int predicate, cuda_on_cpu::Location where) {
        return cuda_on_cpu::with_values<Size>(function, predicate, where, [](auto value_of) {
            unsigned yes = 0;
            for (unsigned rank = 0; rank < Size; rank++) yes += value_of(rank) != 0;
            return yes;
        });
    }
};

}  // namespace details
}  // namespace cooperative_groups

#pragma GCC visibility pop
