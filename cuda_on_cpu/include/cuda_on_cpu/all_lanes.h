// For what a whole warp does at once, such as a product of matrices that lie in the registers of all 32 lanes.
#pragma once

#include "cuda_on_cpu/warp.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Each lane brings a Lane and waits. When all 32 have come, f runs once, and may read and write all of them.
template <class Lane, void (*f)(Lane* const (&lanes)[32])>
void all_lanes(const char* function, Lane& mine, Location where) {
    const Combine combine = [](Warp& warp, uint32_t present) {
        if (~present) fail("mma, ldmatrix and their relatives need all 32 lanes of a warp, and some have returned");
        Lane* lanes[32];
        for (int l = 0; l < 32; l++) lanes[l] = reinterpret_cast<Lane*>(warp.value[l]);
        f(lanes);
    };
    exchange(function, ~0u, reinterpret_cast<uintptr_t>(&mine), 0, combine, where);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
