// grid.h: the size of a launch. Copy this file into a project of your own; it needs nothing else.
//
//   kernel<<<blocks_for(n, 256), 256, 0, stream>>>(...);                       // a thread for each element
//   kernel<<<std::min(blocks_for(n, 256), 1u << 20), 256, 0, stream>>>(...);   // a grid-stride loop needs no more
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

// How many blocks of `threads` threads cover n elements, 0 for n = 0: CUDA refuses to launch 0 blocks, so a launcher
// returns before that. Throws std::invalid_argument where CUDA has no such grid (n < 0, or more than 2^31 - 1 blocks).
inline unsigned blocks_for(int64_t n, int threads) {
    const int64_t blocks = n / threads + (n % threads != 0);  // n + threads - 1 could overflow
    if (n < 0 || blocks > INT32_MAX) {
        throw std::invalid_argument("blocks of " + std::to_string(threads) + " threads cannot cover " +
                                    std::to_string(n) + " elements: a grid has at most 2^31 - 1 blocks");
    }
    return unsigned(blocks);
}
