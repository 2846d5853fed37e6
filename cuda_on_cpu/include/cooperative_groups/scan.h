// inclusive_scan(): each thread gets the sum of the values of the threads up to itself; exclusive_scan(): of those
// before itself, and the first thread gets 0.
#pragma once

#include "cuda_on_cpu/groups/operators.h"

#pragma GCC visibility push(hidden)

namespace cooperative_groups {
namespace details {

template <class T>
struct Sums {
    T inclusive, exclusive;
};

template <class Group, class T, class Op>
Sums<T> scan_lanes(const Group& group, T value, Op& op, cuda_on_cpu::Location where) {
    const T inclusive = running_sum(group, value, op, where), before = group.shfl_up(inclusive, 1, where);
    return {inclusive, group.thread_rank() == 0 ? T{} : before};
}

template <class T, class Op>
Sums<T> scan(const coalesced_group& group, T value, Op& op, cuda_on_cpu::Location where) {
    return scan_lanes(group, value, op, where);
}
template <unsigned Size, class T, class Op>
Sums<T> scan(const SmallTile<Size>& tile, T value, Op& op, cuda_on_cpu::Location where) {
    return scan_lanes(tile, value, op, where);
}

// running_sum() without shuffles, for the one of that rank. `distance` is that of the last step.
template <class T, class ValueOf, class Op>
T running_sum_of(ValueOf value_of, unsigned rank, unsigned distance, Op& op) {
    if (distance == 0) return value_of(rank);
    const T sum = running_sum_of<T>(value_of, rank, distance / 2, op);
    if (distance > rank) return sum;
    return op(sum, running_sum_of<T>(value_of, rank - distance, distance / 2, op));
}

template <unsigned Size, class T, class Op>
Sums<T> scan(const LargeTile<Size>& tile, T value, Op& op, cuda_on_cpu::Location where) {
    const SmallTile<32> warp;
    const Sums<T> mine = scan(warp, value, op, where);
    const unsigned rank = tile.thread_rank() / 32;
    const T before = cuda_on_cpu::with_values<Size>("scan()", mine.inclusive, where, [&](auto value_of) {
        const auto of_warp = [&](unsigned w) -> T { return value_of(w * 32 + 31); };
        return rank == 0 ? T{} : running_sum_of<T>(of_warp, rank - 1, Size / 64, op);
    });
    if (rank == 0) return mine;
    return {op(mine.inclusive, before), warp.thread_rank() == 0 ? before : op(mine.exclusive, before)};
}

// Adds the group's sum to a cuda::atomic. All threads get the atomic's earlier value, as if it came before their own.
template <class Group, class Atomic, class T, class Op>
Sums<T> scan_update(const Group& group, Atomic& atomic, T value, Op& op, cuda_on_cpu::Location where) {
    const Sums<T> sums = scan(group, value, op, where);
    T old{};
    if (group.thread_rank() == group.size() - 1) old = update(atomic, sums.inclusive, op);
    old = group.shfl(old, group.size() - 1, where);
    return {op(old, sums.inclusive), op(old, sums.exclusive)};
}

}  // namespace details

#define CUDA_ON_CPU_SCAN(kind)                                                                                        \
    template <class Group, class V, class Op, class T = std::decay_t<V>>                                              \
    T kind##_scan(const Group& group, V&& value, Op&& op, cuda_on_cpu::Location where = {}) {                         \
        if constexpr (details::check_types<Group, T, Op>()) return details::scan(group, T(value), op, where).kind;    \
    }                                                                                                                 \
    template <class Group, class V, class T = std::decay_t<V>>                                                        \
    T kind##_scan(const Group& group, V&& value, cuda_on_cpu::Location where = {}) {                                  \
        return kind##_scan(group, T(value), plus<T>(), where);                                                        \
    }                                                                                                                 \
    template <class Group, class Atomic, class V, class Op, class T = std::decay_t<V>>                                \
    T kind##_scan_update(const Group& group, Atomic&& atomic, V&& value, Op&& op, cuda_on_cpu::Location where = {}) { \
        if constexpr (details::check_types<Group, T, Op>())                                                           \
            return details::scan_update(group, atomic, T(value), op, where).kind;                                     \
    }                                                                                                                 \
    template <class Group, class Atomic, class V, class T = std::decay_t<V>>                                          \
    T kind##_scan_update(const Group& group, Atomic&& atomic, V&& value, cuda_on_cpu::Location where = {}) {          \
        return kind##_scan_update(group, atomic, T(value), plus<T>(), where);                                         \
    }
CUDA_ON_CPU_SCAN(inclusive)
CUDA_ON_CPU_SCAN(exclusive)
#undef CUDA_ON_CPU_SCAN

}  // namespace cooperative_groups

#pragma GCC visibility pop
