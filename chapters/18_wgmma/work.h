// work.h: what a block of wgmma.cu's kernel has to do.
#pragma once
#include <cstdint>

#include "device/hopper.h"
#include "wgmma.h"

// What the kernel has to know besides the two tensor maps. steps: of 64 numbers of k. Of a tile that a cluster of
// `parts` blocks makes together, a block does `each` steps.
template <class T>
struct Task {
    T* out;
    const T* bias;
    Activation f;
    int m, n, steps, a_batched, b_batched;
    int down, across, tiles, parts, each;
};

#ifdef HAS_WGMMA
// The tile's first row and column, and its batch. Tiles that are under way together share rows of a and columns of b in
// the L2 cache, if they form a square: BAND of them down, then the next column, and so on.
struct Place {
    int row, column, batch;
};
template <int rows, int columns, int BAND>
__device__ Place place_of(int tile, int down, int across) {
    const int i = tile % (down * across), top = i / (BAND * across) * BAND, height = min(BAND, down - top);
    const int in_band = i % (BAND * across);
    return {(top + in_band % height) * rows, in_band / height * columns, tile / (down * across)};
}
#endif
