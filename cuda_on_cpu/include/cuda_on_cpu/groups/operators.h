// What reduce() and scans have in common: plus, less, ...; running sums over the threads of a warp.
#pragma once

#include <cooperative_groups.h>

#pragma GCC visibility push(hidden)

namespace cooperative_groups {

#define CUDA_ON_CPU_OPERATOR(name, expression)                               \
    template <class T>                                                       \
    struct name {                                                            \
        T operator()(const T& a, const T& b) const { return T(expression); } \
    };
CUDA_ON_CPU_OPERATOR(plus, a + b)
CUDA_ON_CPU_OPERATOR(less, b < a ? b : a)     // the lesser of the two
CUDA_ON_CPU_OPERATOR(greater, a < b ? b : a)  // the greater
CUDA_ON_CPU_OPERATOR(bit_and, a& b)
CUDA_ON_CPU_OPERATOR(bit_or, a | b)
CUDA_ON_CPU_OPERATOR(bit_xor, a ^ b)
#undef CUDA_ON_CPU_OPERATOR

namespace details {

// Which groups have reduce() and scans.
template <class Group>
struct IsTile : std::false_type {};
template <>
struct IsTile<coalesced_group> : std::true_type {};
template <unsigned Size, class Parent>
struct IsTile<thread_block_tile<Size, Parent>> : std::true_type {};

// The type of a result.
template <class Group, class T, class Op>
constexpr bool check_types() {
    static_assert(IsTile<Group>::value, "reduce() and scans take a thread_block_tile or a coalesced_group");
    static_assert(std::is_same<std::decay_t<std::invoke_result_t<Op&, T&, T&>>, T>::value,
                  "the operator of reduce() or a scan returns another type than that of the value");
    return IsTile<Group>::value;
}

// Each thread adds the running sum of the thread before it, then that of the thread two before it, then four, ...
// CUDA does it in this order: sums of floats have the same bits.
template <class Group, class T, class Op>
T running_sum(const Group& group, T value, Op& op, cuda_on_cpu::Location where) {
    for (unsigned distance = 1; distance < group.size(); distance *= 2) {
        const T other = group.shfl_up(value, distance, where);
        if (distance <= group.thread_rank()) value = op(value, other);
    }
    return value;
}

// Puts op(value, operand) in the place of the value of a cuda::atomic, and returns the earlier value.
template <class Atomic, class T, class Op>
T update(Atomic& atomic, const T& operand, Op& op) {
    T old = atomic.load();
    while (!atomic.compare_exchange_weak(old, op(old, operand))) {
    }
    return old;
}

}  // namespace details
}  // namespace cooperative_groups

#pragma GCC visibility pop
