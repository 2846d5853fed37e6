// plan.h: the tiles of wgmma.cu, and how one of them is chosen for a product. Host code.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>

// A block makes a tile of groups * 64 rows. Mostly each group of 4 warps makes 64 of them. If they take `turns`, a
// group makes a whole tile, and stores it while the other group multiplies. The `cluster` blocks of a cluster make
// tiles below each other. If `divisible`, a cluster of 2, 4 or 8 blocks may instead divide the k of one tile.
struct Tile {
    const char* name;
    int groups, columns, cluster;
    bool divisible, turns = false;
    constexpr int rows() const { return groups * 64 * cluster; }
    // A buffer holds 64 numbers of each row of a and each column of b. So many buffers fit beside `others` bytes.
    constexpr int stage_bytes() const { return (groups * 64 + columns) * 128; }
    constexpr int stages(int others) const { return std::min(12, (227 * 1024 - others - 1024) / stage_bytes()); }
};
inline constexpr Tile TILES[] = {
    {"64x64", 1, 64, 1, true},       {"64x128", 1, 128, 1, true},    {"128x64", 2, 64, 1, false},
    {"192x64", 3, 64, 1, true},      {"128x128", 2, 128, 1, false},  {"192x128", 3, 128, 1, true},
    {"128x256", 2, 256, 1, false},   {"2x64x128", 1, 128, 2, false}, {"2x128x128", 2, 128, 2, false, true},
    {"2x128x192", 2, 192, 2, false}, {"2x128x256", 2, 256, 2, false}};

// How the tiles of a product, `down` x `across` in each batch, are given to `teams`: blocks or clusters that go from
// tile to tile. A tile whose k is divided belongs to a cluster of `parts` blocks: each takes `each` of its steps. Else
// there are as few teams as possible without giving the busiest one more tiles: fewer share the power.
struct Plan {
    const Tile* tile;
    int down, across, tiles, steps, parts, each, teams;
    int cluster() const { return tile->cluster * parts; }
};

inline Plan plan_for(const Tile& tile, int parts, int64_t batches, int64_t m, int64_t n, int64_t k,
                     int multiprocessors) {
    const int64_t down = (m - 1) / tile.rows() + 1, across = (n - 1) / tile.columns + 1,
                  tiles = batches * down * across;
    if (tiles > 1 << 30) throw std::invalid_argument("matmul takes 2^30 tiles at most, got " + std::to_string(tiles));
    Plan p = {&tile, int(down), int(across), int(tiles), int((k + 63) / 64), parts};
    p.each = (p.steps + parts - 1) / parts;
    const int most = std::max(multiprocessors / tile.cluster, 1), rounds = (p.tiles + most - 1) / most;
    p.teams = parts > 1 ? p.tiles : (p.tiles + rounds - 1) / rounds;
    return p;
}

// About how many nanoseconds the plan takes on an H100 or H200, without what every launch takes: the steps, what ends
// each tile, and what a cluster costs. Only the ratios count: the constants are those that chose best for 1546 products
// on an H200, where the chosen tile was on average 1.5 % slower than the best one. A step takes at least as long as the
// L2 cache needs for the boxes of all blocks: 67 lines a nanosecond. A cluster that makes tiles below each other halves
// the requests for b. In a skewed operand, rows are an odd multiple of 16 bytes apart, so seven of eight rows of a box
// touch two lines of the cache. Clusters of 4 and 8 leave multiprocessors idle: of 132, twelve. gelu: the results go
// through GELU. If three groups make several tiles, they drift apart: one computes it while the others multiply. Where
// groups take turns, the end of a tile costs little, unless it takes longer than the other group's products.
inline double time_of(const Plan& p, bool a_skewed, bool b_skewed, bool gelu, int multiprocessors) {
    const Tile& t = *p.tile;
    const int at_once = std::max((p.cluster() > 2 ? multiprocessors * 10 / 11 : multiprocessors) / p.cluster(), 1);
    const int rounds = (p.tiles + at_once - 1) / at_once;
    const double area = t.groups * t.columns / 64.0;  // of a block, in squares of 64
    const double lines = t.groups * 64 * (a_skewed ? 1.55 : 1) + double(t.columns) / t.cluster * (b_skewed ? 1.55 : 1);
    const double products = p.each * std::max(115 + 70 * area, lines * std::min(p.tiles, at_once) * p.cluster() / 67);
    const double end = 200 + 380 * area + (gelu && (t.groups < 3 || rounds == 1) ? 480 * area : 0);
    const double of_cluster = t.cluster > 1 ? 2100 : p.parts > 1 ? 900 * area : 0;
    if (!t.turns) return rounds * (products + end) + of_cluster;
    const double in_turns = 0.9 * products + 1200;
    return rounds * std::max(in_turns, (in_turns + end) / 2) + end + 3000 + of_cluster;
}

// The name of a step: that tile, its k divided among `parts` blocks.
inline std::string divided_name(const Tile& tile, int parts) { return tile.name + (" k/" + std::to_string(parts)); }

// The plan of that name, such as "64x64 k/2", or else the fastest one.
inline Plan plan_for(const std::string& step, bool a_skewed, bool b_skewed, bool gelu, int64_t batches, int64_t m,
                     int64_t n, int64_t k, int multiprocessors) {
    Plan best = {};
    for (const Tile& tile : TILES)
        for (const int parts : {1, 2, 4, 8}) {
            const Plan plan = plan_for(tile, parts, batches, m, n, k, multiprocessors);
            if (step == (parts > 1 ? divided_name(tile, parts) : tile.name)) return plan;
            if (parts > 1 && (!tile.divisible || k <= 64 * parts)) continue;
            const auto time = [&](const Plan& p) { return time_of(p, a_skewed, b_skewed, gelu, multiprocessors); };
            if (!best.tile || time(plan) < time(best)) best = plan;
        }
    return best;
}

// Calls f with the number of that tile in TILES, as a type: a kernel is compiled for each.
template <int i = 0, class F>
void with_tile(const Tile* tile, F f) {
    if constexpr (i < std::size(TILES))
        tile == &TILES[i] ? f(std::integral_constant<int, i>()) : with_tile<i + 1>(tile, f);
}
