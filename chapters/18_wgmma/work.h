// work.h: what a block of wgmma.cu's kernel has to do.
#pragma once
#include <cstdint>

#include "../16_matmul/bands.h"
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
// The tile's first row and column, and its batch.
struct Place {
    int row, column, batch;
};
template <int rows, int columns, int BAND>
__device__ Place place_of(int tile, int down, int across) {
    const TileAt at = tile_at(unsigned(tile % (down * across)), unsigned(down), unsigned(across), BAND);
    return {int(at.row) * rows, int(at.column) * columns, tile / (down * across)};
}
#endif
