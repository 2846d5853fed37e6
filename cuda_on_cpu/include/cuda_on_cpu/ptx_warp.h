// Inline PTX: what the lanes of a warp do together. The rules are those of warp.h's functions.
#pragma once

#include "cuda_on_cpu/ptx.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

// The first five bits of `control` are the last lane of a group, or for up its first; bits 8 to 12 are those bits of a
// lane's number that say which group it is in. A lane that would read beyond its group reads its own value.
struct Group {
    u32 lane, mask, bound;
    explicit Group(u32 control) : lane(self->lane()), mask(control >> 8 & 31) {
        bound = (lane & mask) | (control & 31 & ~mask);
    }
};
inline Result<b32> shuffle(const char* name, b32 value, bool inside, u32 from, u32 mask, Location where) {
    return {cuda_on_cpu::shuffle(name, mask, value, inside ? from : self->lane(), where), inside};
}
inline Result<b32> shfl_up(b32 value, u32 delta, u32 control, u32 mask, Location where = {}) {
    const Group g(control);
    const s32 from = s32(g.lane) - s32(delta & 31);
    return shuffle("shfl.sync.up", value, from >= s32(g.bound), u32(from), mask, where);
}
inline Result<b32> shfl_down(b32 value, u32 delta, u32 control, u32 mask, Location where = {}) {
    const Group g(control);
    const u32 from = g.lane + (delta & 31);
    return shuffle("shfl.sync.down", value, from <= g.bound, from, mask, where);
}
inline Result<b32> shfl_bfly(b32 value, u32 bits, u32 control, u32 mask, Location where = {}) {
    const Group g(control);
    const u32 from = g.lane ^ (bits & 31);
    return shuffle("shfl.sync.bfly", value, from <= g.bound, from, mask, where);
}
inline Result<b32> shfl_idx(b32 value, u32 index, u32 control, u32 mask, Location where = {}) {
    const Group g(control);
    const u32 from = (g.lane & g.mask) | (index & 31 & ~g.mask);
    return shuffle("shfl.sync.idx", value, from <= g.bound, from, mask, where);
}

inline b32 vote_ballot(bool p, u32 mask, Location where = {}) { return __ballot_sync(mask, p, where); }
inline bool vote_any(bool p, u32 mask, Location where = {}) { return __any_sync(mask, p, where) != 0; }
inline bool vote_all(bool p, u32 mask, Location where = {}) { return __all_sync(mask, p, where) != 0; }
inline bool vote_uni(bool p, u32 mask, Location where = {}) {
    const b32 yes = __ballot_sync(mask, p, where);
    return yes == 0 || yes == __ballot_sync(mask, 1, where);
}
inline b32 activemask(Location where = {}) { return __activemask(where); }
template <class T>
b32 match_any(T value, u32 mask, Location where = {}) {
    return __match_any_sync(mask, value, where);
}
template <class T>
Result<b32> match_all(T value, u32 mask, Location where = {}) {
    int all;
    const b32 same = __match_all_sync(mask, value, &all, where);
    return {same, all != 0};
}
inline u32 redux_add(u32 v, u32 mask, Location where = {}) { return __reduce_add_sync(mask, v, where); }
inline s32 redux_add(s32 v, u32 mask, Location where = {}) { return __reduce_add_sync(mask, v, where); }
inline u32 redux_min(u32 v, u32 mask, Location where = {}) { return __reduce_min_sync(mask, v, where); }
inline s32 redux_min(s32 v, u32 mask, Location where = {}) { return __reduce_min_sync(mask, v, where); }
inline u32 redux_max(u32 v, u32 mask, Location where = {}) { return __reduce_max_sync(mask, v, where); }
inline s32 redux_max(s32 v, u32 mask, Location where = {}) { return __reduce_max_sync(mask, v, where); }
inline b32 redux_and(b32 v, u32 mask, Location where = {}) { return __reduce_and_sync(mask, v, where); }
inline b32 redux_or(b32 v, u32 mask, Location where = {}) { return __reduce_or_sync(mask, v, where); }
inline b32 redux_xor(b32 v, u32 mask, Location where = {}) { return __reduce_xor_sync(mask, v, where); }
inline Result<b32> elect(u32 mask, Location where = {}) {  // one lane of the mask: the first
    const u32 leader = u32(__builtin_ctz(__ballot_sync(mask, 1, where)));
    return {leader, leader == self->lane()};
}
inline void bar_warp_sync(u32 mask, Location where = {}) { __syncwarp(mask, where); }

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
