// What the threads of one warp do as a group. The group is a mask; the rank of a thread in the group is the number of
// lanes of the mask below its own.
#pragma once

#include "cuda_on_cpu/warp.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

inline unsigned rank_in(uint32_t mask) { return unsigned(__builtin_popcount(mask & (self->bit() - 1))); }

inline unsigned lane_of_rank(uint32_t mask, unsigned rank) {
    while (rank--) mask &= mask - 1;
    return unsigned(__builtin_ctz(mask));
}

// A set of lanes as a set of ranks.
inline uint32_t ranks_of(uint32_t lanes, uint32_t mask) {
    uint32_t ranks = 0, rank = 1;
    for_each(mask, [&](unsigned l) { ranks |= (lanes >> l & 1) * rank, rank <<= 1; });
    return ranks;
}

// ---- shuffles of any type ------------------------------------------------------------------------------------------

// A lane's value may be too large for the warp's tables. So the table has the address of this, on the lane's stack.
template <size_t bytes>
struct Parcel {
    char given[bytes], got[bytes];
};

template <size_t bytes>
void combine_parcels(Warp& w, uint32_t lanes) {
    const auto parcel = [&](unsigned l) { return reinterpret_cast<Parcel<bytes>*>(w.value[l]); };
    for_each(lanes, [&](unsigned l) {
        if (!(lanes >> w.source[l] & 1)) fail_absent_lane(w, l);
        memcpy(parcel(l)->got, parcel(w.source[l])->given, bytes);
    });
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_rank(const char* function, unsigned rank, Location where) {
    fail(std::string(function) + " at " + text(where) + ": the group has no thread of rank " + std::to_string(rank));
}

template <class T>
T shuffle_any(const char* function, uint32_t mask, T value, unsigned source, Location where) {
    static_assert(sizeof(T) <= 32, "cooperative groups exchange values of at most 32 bytes");
    static_assert(std::is_trivially_copyable<T>::value, "cooperative groups exchange values of trivial types");
    Parcel<sizeof(T)> parcel;
    memcpy(parcel.given, &value, sizeof(T));
    exchange(function, mask, reinterpret_cast<uintptr_t>(&parcel), source, combine_parcels<sizeof(T)>, where);
    T result = value;
    memcpy(static_cast<void*>(&result), parcel.got, sizeof(T));
    return result;
}

// ---- votes ---------------------------------------------------------------------------------------------------------

// The functions that all groups of lanes have; Group says its mask.
template <class Group>
class Lanes {
public:
    void sync(Location where = {}) const { exchange("group.sync()", mask(), 0, 0, combine_nothing, where); }

    int any(int predicate, Location where = {}) const { return vote("group.any()", predicate, where) != 0; }
    int all(int predicate, Location where = {}) const { return vote("group.all()", predicate, where) == mask(); }
    unsigned ballot(int predicate, Location where = {}) const {
        return ranks_of(vote("group.ballot()", predicate, where), mask());
    }

    template <class T>
    unsigned match_any(T value, Location where = {}) const {
        static_assert(std::is_arithmetic<T>::value, "match_any() takes a number");
        return ranks_of(__match_any_sync(mask(), value, where), mask());
    }
    template <class T>
    unsigned match_all(T value, int& all, Location where = {}) const {
        static_assert(std::is_arithmetic<T>::value, "match_all() takes a number");
        return ranks_of(__match_all_sync(mask(), value, &all, where), mask());
    }

private:
    uint32_t mask() const { return static_cast<const Group*>(this)->get_mask(); }
    uint32_t vote(const char* function, int predicate, Location where) const {
        return uint32_t(exchange(function, mask(), predicate != 0, 0, combine_ballot, where));
    }
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
