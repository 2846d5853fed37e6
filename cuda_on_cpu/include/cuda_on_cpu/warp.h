// Warp functions: 32 threads exchange values without shared memory. Each lane that comes writes down its value and
// waits; when the last lane of the mask has come, one function works out the results of all (`Combine`).
#pragma once

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_not_in_mask(const char* function, Location where) {
    fail(std::string(function) + " at " + text(where) + ": the mask does not name the thread that calls");
}

CUDA_ON_CPU_UNRECORDED inline uint64_t exchange(const char* function, uint32_t mask, uint64_t value, uint32_t source,
                                                Combine combine, Location where) {
    if (!(mask & self->bit())) fail_not_in_mask(function, where);
    Warp& warp = warp_of(*self);
    const unsigned lane = self->lane();
    self->function = function, self->where = where;
    warp.at_warp |= self->bit();
    warp.mask[lane] = mask, warp.value[lane] = value, warp.source[lane] = source, warp.combine[lane] = combine;
    end_warp_function_if_complete(warp, lane);
    suspend();
    return warp.result[lane];
}

// Calls f(lane) for each lane of a set.
template <class F>
CUDA_ON_CPU_UNRECORDED void for_each(uint32_t lanes, F f) {
    for (; lanes; lanes &= lanes - 1) f(unsigned(__builtin_ctz(lanes)));
}

// __syncwarp(), the only warp function that orders what lanes do in memory.
inline void combine_nothing([[maybe_unused]] Warp& w, [[maybe_unused]] uint32_t lanes) {
    CUDA_ON_CPU_RECORD(warp_barrier(block.warps, unsigned(&w - block.warps), lanes));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_absent_lane(Warp& w, unsigned lane) {
    w.at_warp &= ~self->bit();  // the thread that came last leaves by the exception, the others wait
    self = &block.threads[(&w - block.warps) * 32 + lane];
    fail(std::string(self->function) + " at " + text(self->where) + ": reads from lane " +
         std::to_string(w.source[lane]) + " of the warp, which the mask names but " +
         (w.source[lane] + (&w - block.warps) * 32 < block.size ? "which has returned" : "the block does not have"));
}

// The value of a lane that the mask does not name is undefined; here it is the reader's own.
CUDA_ON_CPU_UNRECORDED inline void combine_shuffle(Warp& w, uint32_t lanes) {
    for_each(lanes, [&](unsigned l) CUDA_ON_CPU_UNRECORDED {
        const bool there = lanes >> w.source[l] & 1;
        if (!there && w.mask[l] >> w.source[l] & 1) fail_absent_lane(w, l);
        w.result[l] = w.value[there ? w.source[l] : l];
    });
}

CUDA_ON_CPU_UNRECORDED inline void combine_ballot(Warp& w, uint32_t lanes) {
    uint32_t votes = 0;
    for_each(lanes, [&](unsigned l) CUDA_ON_CPU_UNRECORDED { votes |= uint32_t(w.value[l] != 0) << l; });
    for_each(lanes, [&](unsigned l) CUDA_ON_CPU_UNRECORDED { w.result[l] = votes; });
}

inline void combine_match(Warp& w, uint32_t lanes) {
    for_each(lanes, [&](unsigned l) {
        uint32_t same = 0;
        for_each(lanes, [&](unsigned m) { same |= uint32_t(w.value[m] == w.value[l]) << m; });
        w.result[l] = same;
    });
}

template <class T, class F>
void combine_reduce(Warp& w, uint32_t lanes, F f) {
    T total = T(w.value[__builtin_ctz(lanes)]);
    for_each(lanes & (lanes - 1), [&](unsigned l) { total = f(total, T(w.value[l])); });
    for_each(lanes, [&](unsigned l) { w.result[l] = uint32_t(total); });
}

// The lane to read from, by the rules of PTX's shfl. `width` cuts the warp into groups. A lane that would read beyond
// its group reads its own value, except that an xor may reach back into an earlier group.
inline unsigned source_idx(unsigned lane, unsigned width, unsigned from) {
    return (lane & -width) | (from & (width - 1));
}
inline unsigned source_up(unsigned lane, unsigned width, unsigned delta) {
    return (lane & (width - 1)) >= delta ? lane - delta : lane;
}
inline unsigned source_down(unsigned lane, unsigned width, unsigned delta) {
    return (lane & (width - 1)) + delta < width ? lane + delta : lane;
}
inline unsigned source_xor(unsigned lane, unsigned width, unsigned bits) {
    return (lane ^ bits) <= (lane | (width - 1)) ? lane ^ bits : lane;
}

template <class T>
CUDA_ON_CPU_UNRECORDED T shuffle(const char* function, uint32_t mask, T value, unsigned source, Location where) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);  // not a call, which the recorder would see
    bits = exchange(function, mask, bits, source, combine_shuffle, where);
    __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof value);  // void: a half hides its bits
    return value;
}

}  // namespace cuda_on_cpu

// Not a template: CUDA has exactly these types, and converts a short or a bool to int. The hardware looks at five bits
// of the second argument.
#define CUDA_ON_CPU_SHUFFLE(name, T, Second, source)                                                                  \
    inline T name(unsigned mask, T value, Second second, int width = 32, cuda_on_cpu::Location where = {}) {          \
        const unsigned from = cuda_on_cpu::source(cuda_on_cpu::self->lane(), unsigned(width), unsigned(second) & 31); \
        return cuda_on_cpu::shuffle(#name "()", mask, value, from, where);                                            \
    }
#define CUDA_ON_CPU_SHUFFLES(T)                                     \
    CUDA_ON_CPU_SHUFFLE(__shfl_sync, T, int, source_idx)            \
    CUDA_ON_CPU_SHUFFLE(__shfl_up_sync, T, unsigned, source_up)     \
    CUDA_ON_CPU_SHUFFLE(__shfl_down_sync, T, unsigned, source_down) \
    CUDA_ON_CPU_SHUFFLE(__shfl_xor_sync, T, int, source_xor)
CUDA_ON_CPU_SHUFFLES(int)
CUDA_ON_CPU_SHUFFLES(unsigned)
CUDA_ON_CPU_SHUFFLES(long)
CUDA_ON_CPU_SHUFFLES(unsigned long)
CUDA_ON_CPU_SHUFFLES(long long)
CUDA_ON_CPU_SHUFFLES(unsigned long long)
CUDA_ON_CPU_SHUFFLES(float)
CUDA_ON_CPU_SHUFFLES(double)

inline void __syncwarp(unsigned mask = 0xffffffff, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::exchange("__syncwarp()", mask, 0, 0, cuda_on_cpu::combine_nothing, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, cuda_on_cpu::Location where = {}) {
    return cuda_on_cpu::exchange("__ballot_sync()", mask, predicate != 0, 0, cuda_on_cpu::combine_ballot, where);
}
inline int __any_sync(unsigned mask, int predicate, cuda_on_cpu::Location where = {}) {
    return cuda_on_cpu::exchange("__any_sync()", mask, predicate != 0, 0, cuda_on_cpu::combine_ballot, where) != 0;
}
inline int __all_sync(unsigned mask, int predicate, cuda_on_cpu::Location where = {}) {  // no lane votes no
    return cuda_on_cpu::exchange("__all_sync()", mask, predicate == 0, 0, cuda_on_cpu::combine_ballot, where) == 0;
}

// The lanes that are here together: in a branch, those that took it. end_activemask() fills in the result.
inline unsigned __activemask(cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::Warp& warp = cuda_on_cpu::warp_of(*cuda_on_cpu::self);
    const unsigned lane = cuda_on_cpu::self->lane();
    warp.at_activemask |= 1u << lane;
    cuda_on_cpu::suspend("__activemask()", where);
    return warp.result[lane];
}

// The lanes that have the same value; or the mask if all have, else 0.
template <class T>
unsigned __match_any_sync(unsigned mask, T value, cuda_on_cpu::Location where = {}) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return cuda_on_cpu::exchange("__match_any_sync()", mask, bits, 0, cuda_on_cpu::combine_match, where);
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all, cuda_on_cpu::Location where = {}) {
    *all = __all_sync(mask, __match_any_sync(mask, value, where) == __ballot_sync(mask, 1, where), where);
    return *all ? mask : 0;
}

#define CUDA_ON_CPU_REDUCE(name, T, expression)                                                                 \
    inline T __reduce_##name##_sync(unsigned mask, T value, cuda_on_cpu::Location where = {}) {                 \
        const cuda_on_cpu::Combine combine = [](cuda_on_cpu::Warp& warp, uint32_t lanes) {                      \
            cuda_on_cpu::combine_reduce<T>(warp, lanes, [](T a, T b) { return T(expression); });                \
        };                                                                                                      \
        return T(cuda_on_cpu::exchange("__reduce_" #name "_sync()", mask, uint32_t(value), 0, combine, where)); \
    }
CUDA_ON_CPU_REDUCE(add, unsigned, a + b)
CUDA_ON_CPU_REDUCE(add, int, unsigned(a) + unsigned(b))
CUDA_ON_CPU_REDUCE(min, unsigned, a < b ? a : b)
CUDA_ON_CPU_REDUCE(min, int, a < b ? a : b)
CUDA_ON_CPU_REDUCE(max, unsigned, a > b ? a : b)
CUDA_ON_CPU_REDUCE(max, int, a > b ? a : b)
CUDA_ON_CPU_REDUCE(and, unsigned, (a & b))
CUDA_ON_CPU_REDUCE(or, unsigned, a | b)
CUDA_ON_CPU_REDUCE(xor, unsigned, a ^ b)
#undef CUDA_ON_CPU_REDUCE

#pragma GCC visibility pop
