// cuda::atomic and cuda::atomic_ref. All scopes and all memory orders are the strongest here: a host thread may look at
// the same variable.
#pragma once

#include <atomic>  // std::memory_order

#include "cuda_on_cpu/cuda_std.h"
#include "cuda_on_cpu/waiting.h"

#pragma GCC visibility push(hidden)

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

}  // namespace cuda

namespace cuda_on_cpu {

using Order = std::memory_order;
constexpr Order strongest = std::memory_order_seq_cst;

// The unsigned integer of that many bytes, as which the processor handles a value.
template <size_t bytes>
struct Bits;
template <>
struct Bits<1> {
    typedef uint8_t __attribute__((may_alias)) type;
};
template <>
struct Bits<2> {
    typedef uint16_t __attribute__((may_alias)) type;
};
template <>
struct Bits<4> {
    typedef uint32_t __attribute__((may_alias)) type;
};
template <>
struct Bits<8> {
    typedef uint64_t __attribute__((may_alias)) type;
};

template <class T>
T wrapped_add(T a, T b) {  // wraps around, as on a GPU
    if constexpr (std::is_integral_v<T>)
        return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
        return a + b;
}
template <class T>
T wrapped_subtract(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return T(std::make_unsigned_t<T>(a) - std::make_unsigned_t<T>(b));
    else
        return a - b;
}
template <class T>
T* wrapped_add(T* a, ptrdiff_t b) {
    return a + b;
}
template <class T>
T* wrapped_subtract(T* a, ptrdiff_t b) {
    return a - b;
}

// What both have. Self::address() is where the value lies.
template <class T, class Self>
class Atomic {
    static_assert(std::is_trivially_copyable_v<T>, "an atomic type must be trivially copyable");
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                  "CUDA on CPU has atomics of 1, 2, 4 and 8 bytes only");
    using Raw = typename Bits<sizeof(T)>::type;
    using Difference = std::conditional_t<std::is_pointer_v<T>, ptrdiff_t, T>;

    Raw* raw() const { return reinterpret_cast<Raw*>(static_cast<const Self*>(this)->address()); }
    static Raw raw_of(const T& value) {
        Raw bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    static T value_of(const Raw& bits) {
        T value;
        memcpy(static_cast<void*>(&value), &bits, sizeof value);
        return value;
    }
    template <class F>
    CUDA_ON_CPU_FOR_CALLER T update(F f, Location where) const {
        look_again("cuda::atomic", where);
        Raw old = __atomic_load_n(raw(), __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n(raw(), &old, raw_of(f(value_of(old))), false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST)) {
        }
        return value_of(old);
    }

public:
    using value_type = T;
    static constexpr bool is_always_lock_free = true;
    bool is_lock_free() const { return true; }

    // For conditions of wait_anywhere(): the value, and no turn for others.
    CUDA_ON_CPU_FOR_CALLER T look() const { return value_of(__atomic_load_n(raw(), __ATOMIC_SEQ_CST)); }

    CUDA_ON_CPU_FOR_CALLER T load(Order = strongest, Location where = {}) const {
        look_again("cuda::atomic::load()", where);
        return look();
    }
    CUDA_ON_CPU_FOR_CALLER void store(T value, Order = strongest) const {
        __atomic_store_n(raw(), raw_of(value), __ATOMIC_SEQ_CST);
    }
    CUDA_ON_CPU_FOR_CALLER T exchange(T value, Order = strongest, Location where = {}) const {
        look_again("cuda::atomic", where);
        return value_of(__atomic_exchange_n(raw(), raw_of(value), __ATOMIC_SEQ_CST));
    }
    CUDA_ON_CPU_FOR_CALLER bool compare_exchange_strong(T& expected, T value, Order, Order, Location where = {}) const {
        look_again("cuda::atomic", where);
        Raw old = raw_of(expected);
        const bool done =
            __atomic_compare_exchange_n(raw(), &old, raw_of(value), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        if (!done) expected = value_of(old);
        return done;
    }
    CUDA_ON_CPU_FOR_CALLER bool compare_exchange_strong(T& expected, T value, Order order = strongest,
                                                        Location where = {}) const {
        return compare_exchange_strong(expected, value, order, order, where);
    }
    CUDA_ON_CPU_FOR_CALLER bool compare_exchange_weak(T& expected, T value, Order order, Order,
                                                      Location where = {}) const {
        return compare_exchange_strong(expected, value, order, order, where);
    }
    CUDA_ON_CPU_FOR_CALLER bool compare_exchange_weak(T& expected, T value, Order order = strongest,
                                                      Location where = {}) const {
        return compare_exchange_strong(expected, value, order, order, where);
    }

    CUDA_ON_CPU_FOR_CALLER T fetch_add(Difference n, Order = strongest, Location where = {}) const {
        return update([n](T old) { return wrapped_add(old, n); }, where);
    }
    CUDA_ON_CPU_FOR_CALLER T fetch_sub(Difference n, Order = strongest, Location where = {}) const {
        return update([n](T old) { return wrapped_subtract(old, n); }, where);
    }
    CUDA_ON_CPU_FOR_CALLER T fetch_and(T n, Order = strongest, Location where = {}) const {
        return update([n](T old) { return T(old & n); }, where);
    }
    CUDA_ON_CPU_FOR_CALLER T fetch_or(T n, Order = strongest, Location where = {}) const {
        return update([n](T old) { return T(old | n); }, where);
    }
    CUDA_ON_CPU_FOR_CALLER T fetch_xor(T n, Order = strongest, Location where = {}) const {
        return update([n](T old) { return T(old ^ n); }, where);
    }
    CUDA_ON_CPU_FOR_CALLER T fetch_min(T n, Order = strongest, Location where = {}) const {
        return update([n](T old) { return n < old ? n : old; }, where);
    }
    CUDA_ON_CPU_FOR_CALLER T fetch_max(T n, Order = strongest, Location where = {}) const {
        return update([n](T old) { return old < n ? n : old; }, where);
    }

    CUDA_ON_CPU_FOR_CALLER operator T() const { return load(); }
    CUDA_ON_CPU_FOR_CALLER T operator++() const { return wrapped_add(fetch_add(1), Difference(1)); }
    CUDA_ON_CPU_FOR_CALLER T operator--() const { return wrapped_subtract(fetch_sub(1), Difference(1)); }
    CUDA_ON_CPU_FOR_CALLER T operator++(int) const { return fetch_add(1); }
    CUDA_ON_CPU_FOR_CALLER T operator--(int) const { return fetch_sub(1); }
    CUDA_ON_CPU_FOR_CALLER T operator+=(Difference n) const { return wrapped_add(fetch_add(n), n); }
    CUDA_ON_CPU_FOR_CALLER T operator-=(Difference n) const { return wrapped_subtract(fetch_sub(n), n); }
    CUDA_ON_CPU_FOR_CALLER T operator&=(T n) const { return fetch_and(n) & n; }
    CUDA_ON_CPU_FOR_CALLER T operator|=(T n) const { return fetch_or(n) | n; }
    CUDA_ON_CPU_FOR_CALLER T operator^=(T n) const { return fetch_xor(n) ^ n; }

    // Waits until the value is another than `old`. Who waits looks again whenever nothing else can run: nobody
    // notifies.
    CUDA_ON_CPU_FOR_CALLER void wait(T old, Order = strongest, Location where = {}) const {
        wait_anywhere([this, &old] { return raw_of(look()) != raw_of(old); }, "atomic::wait()", where);
    }
    void notify_one() const {}
    void notify_all() const {}
};

}  // namespace cuda_on_cpu

namespace cuda {

template <class T, thread_scope scope = thread_scope_system>
class atomic : public cuda_on_cpu::Atomic<T, atomic<T, scope>> {
    alignas(sizeof(T)) mutable T value_;

public:
    atomic() = default;
    constexpr atomic(T value) : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    T operator=(T value) {
        this->store(value);
        return value;
    }
    T* address() const { return &value_; }
};

template <class T, thread_scope scope = thread_scope_system>
class atomic_ref : public cuda_on_cpu::Atomic<T, atomic_ref<T, scope>> {
    T* address_;

public:
    static constexpr size_t required_alignment = sizeof(T);
    explicit atomic_ref(T& value, cuda_on_cpu::Location where = {}) : address_(&value) {
        if (reinterpret_cast<uintptr_t>(&value) % sizeof(T) != 0)
            cuda_on_cpu::refuse("cuda::atomic_ref", where,
                                "the address is not aligned to " + ::std::to_string(sizeof(T)) + " bytes");
    }
    atomic_ref(const atomic_ref&) = default;
    atomic_ref& operator=(const atomic_ref&) = delete;
    T operator=(T value) const {
        this->store(value);
        return value;
    }
    T* address() const { return address_; }
};

inline void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) { __threadfence(); }
inline void atomic_signal_fence(memory_order) {}

}  // namespace cuda

#pragma GCC visibility pop
