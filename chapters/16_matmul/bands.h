// bands.h: the order in which blocks take the tiles of a result, for the kernels of chapters 16 to 18. No torch.
#pragma once

// The row and the column of a tile, counted in tiles.
struct TileAt {
    unsigned row, column;
};

// Where tile number t of `down` x `across` is. Tiles are numbered in bands of `band` rows of tiles, column by column,
// so that the blocks that run at the same time need few rows of a and few columns of b: both stay in the L2 cache.
__device__ inline TileAt tile_at(unsigned t, unsigned down, unsigned across, unsigned band) {
    const unsigned top = t / (band * across) * band, in_band = t % (band * across), height = min(band, down - top);
    return {top + in_band % height, in_band / height};
}
