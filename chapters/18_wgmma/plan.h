// plan.h: the tiles of wgmma.cu, and how one of them is chosen for a product. Host code.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

// A block makes 64 rows with each of its groups of 4 warps. A cluster of blocks makes tiles below each other.
struct Tile {
    const char* name;
    int groups, columns, cluster;
    int rows() const { return groups * 64 * cluster; }
};
constexpr Tile TILES[] = {{"64x64", 1, 64, 1},     {"64x128", 1, 128, 1},  {"128x128", 2, 128, 1},
                          {"128x192", 2, 192, 1},  {"128x256", 2, 256, 1}, {"2x128x128", 2, 128, 2},
                          {"2x128x256", 2, 256, 2}};

// How the tiles of a product, `down` and `across` of each batch, are given to `teams`: clusters that go from tile to
// tile. First come `whole` tiles. The steps of k of the rest are divided: a team takes `each` of them, one after
// another.
struct Plan {
    const Tile* tile;
    int down, across, tiles, whole, steps, each, teams;
    bool divides() const { return whole < tiles; }
};

inline Plan plan_for(const Tile& tile, bool divide, int64_t batches, int64_t m, int64_t n, int64_t k, int blocks) {
    const int64_t down = (m - 1) / tile.rows() + 1, across = (n - 1) / tile.columns + 1,
                  tiles = batches * down * across;
    if (tiles > 1 << 30) throw std::invalid_argument("matmul takes 2^30 tiles at most, got " + std::to_string(tiles));
    Plan p = {&tile,      int(down),          int(across), int(tiles),
              int(tiles), int((k + 63) / 64), 0,           std::max(blocks / tile.cluster, 1)};
    const int rest = p.tiles < p.teams ? p.tiles : p.teams + p.tiles % p.teams;  // for one wave of tiles, or up to two
    const int64_t all = int64_t(rest) * p.steps;
    if (divide && p.tiles % p.teams && p.steps > 1 && all < 1 << 30) {
        p.whole = p.tiles - rest;
        p.each = int((all + p.teams - 1) / p.teams);
        if (p.whole == 0) p.teams = int((all + p.each - 1) / p.each);
    }
    p.teams = std::min(p.teams, p.divides() ? p.teams : p.tiles);
    return p;
}

// About how many nanoseconds that takes on an H100: of a step of k, of what begins and ends a tile, and of what blocks
// that share a tile write and read. Only the ratios count. skewed: rows of an operand begin at odd multiples of 16
// bytes, where each row of a box touches two lines of the cache; a cluster halves the requests for one operand.
inline double time_of(const Plan& p, bool skewed) {
    const double area = p.tile->groups * p.tile->columns / 64.0;  // of a block, in squares of 64
    const double step = (170 + 62 * area) * (skewed && p.tile->cluster == 1 ? 1.45 : 1.0), rest = 800 + 150 * area;
    const double waves = (p.whole + p.teams - 1) / p.teams;
    double time = waves * (p.steps * step + rest);
    if (p.divides()) {
        const double sharing = 1 + double(p.steps) / p.each;  // blocks of a tile
        time += p.each * step + rest + 2000 + (2 + sharing) * 160 * area;
        time *= 1.05;  // a gain of a few percent is less than the estimates are worth
    }
    return time;
}

inline Plan best_plan(bool skewed, int64_t batches, int64_t m, int64_t n, int64_t k, int blocks) {
    Plan best = {};
    for (const Tile& tile : TILES)
        for (const bool divide : {false, true}) {
            const Plan plan = plan_for(tile, divide, batches, m, n, k, blocks);
            if (!best.tile || time_of(plan, skewed) < time_of(best, skewed)) best = plan;
        }
    return best;
}
