// reduce(): a sum or the like over a group, which every thread gets.
#pragma once

#include "cuda_on_cpu/groups/operators.h"

#pragma GCC visibility push(hidden)

namespace cooperative_groups {
namespace details {

// Each thread adds the value of the one half the tile away, then that of the one a quarter away, ...: all get the sum.
template <unsigned Size, class T, class Op>
T total(const SmallTile<Size>& tile, T value, Op& op, cuda_on_cpu::Location where) {
    for (unsigned distance = Size / 2; distance > 0; distance /= 2)
        value = op(value, tile.shfl_xor(value, distance, where));
    return value;
}

template <class T, class Op>
T total(const coalesced_group& group, T value, Op& op, cuda_on_cpu::Location where) {
    if (group.size() == 32) return total(SmallTile<32>(), value, op, where);
    return group.shfl(running_sum(group, value, op, where), int(group.size()) - 1, where);
}

// The same sum without shuffles, for the one of that rank among `n`. `distance` is that of the last step.
template <class T, class ValueOf, class Op>
T total_of(ValueOf value_of, unsigned n, unsigned rank, unsigned distance, Op& op) {
    if (distance == n) return value_of(rank);
    return op(total_of<T>(value_of, n, rank, distance * 2, op),
              total_of<T>(value_of, n, rank ^ distance, distance * 2, op));
}

template <unsigned Size, class T, class Op>
T total(const LargeTile<Size>& tile, T value, Op& op, cuda_on_cpu::Location where) {
    value = total(SmallTile<32>(), value, op, where);
    return cuda_on_cpu::with_values<Size>("reduce()", value, where, [&](auto value_of) {
        const auto of_warp = [&](unsigned warp) -> T { return value_of(warp * 32); };
        return total_of<T>(of_warp, Size / 32, tile.thread_rank() / 32, 1, op);
    });
}

}  // namespace details

template <class Group, class V, class Op, class T = std::decay_t<V>>
T reduce(const Group& group, V&& value, Op&& op, cuda_on_cpu::Location where = {}) {
    if constexpr (details::check_types<Group, T, Op>()) return details::total(group, T(value), op, where);
}

// One thread stores the result, or adds it to a cuda::atomic, before the others go on. On a GPU that may be later.
template <class Group, class Destination, class V, class Op, class T = std::decay_t<V>>
void reduce_store_async(const Group& group, Destination&& to, V&& value, Op&& op, cuda_on_cpu::Location where = {}) {
    const T result = reduce(group, T(value), op, where);
    if (group.thread_rank() != 0) return;
    if constexpr (std::is_pointer<std::decay_t<Destination>>::value)
        *to = result;
    else
        to.store(result);
}
template <class Group, class Atomic, class V, class Op, class T = std::decay_t<V>>
void reduce_update_async(const Group& group, Atomic&& to, V&& value, Op&& op, cuda_on_cpu::Location where = {}) {
    const T result = reduce(group, T(value), op, where);
    if (group.thread_rank() == 0) details::update(to, result, op);
}

}  // namespace cooperative_groups

#pragma GCC visibility pop
