// choice.h: what a launch of tensor_cores.cu does for a product, decided by counting. Host code.
#pragma once
#include <algorithm>
#include <stdexcept>

#include "common/shared_memory.h"
#include "padded.h"

using OneStage = Tile<2, 2, 64, 64, 1, 2>;  // 128 x 128
using Medium = Tile<2, 2, 64, 64, 3, 2>;    // 128 x 128
using Large = Tile<2, 4, 64, 64, 3, 1>;     // 128 x 256
using Small = Tile<2, 2, 32, 32, 4, 3>;     // 64 x 64

template <class Tile>
int64_t tiles_of(Shape s) {
    return s.batches * tiles_of(s.m, Tile::ROWS) * tiles_of(s.n, Tile::COLUMNS);
}

// How long the multiprocessor with the most tiles is at work, if a result of such a tile takes so long.
template <class Tile>
double time_of(Shape s, double of_result) {
    const int64_t most = (tiles_of<Tile>(s) + multiprocessors() - 1) / multiprocessors();
    return double(most) * Tile::ROWS * Tile::COLUMNS * of_result;
}

// Small tiles read each element of a and b more often, but give work to more multiprocessors. With k divided, they give
// work to all.
inline TensorCoreStep fastest(Shape s) {
    const double large = time_of<Large>(s, 1), medium = time_of<Medium>(s, 1.1), small = time_of<Small>(s, 1.5);
    if (large <= std::min(medium, small) &&
        most_shared_memory() >= Large::STAGES * (Large::ROWS + Large::COLUMNS) * TILE_K * 2)
        return TensorCoreStep::large;
    return medium <= small ? TensorCoreStep::stages : TensorCoreStep::divided;
}

// First the copies, then the step, with k in so many parts.
template <class T>
struct Plan {
    TensorCoreStep step;
    Padded<T> a, b;
    Parts parts;

    int64_t copied() const { return a.elements() + b.elements(); }
};

// Whether it pays to copy what is not whole packs. Without a copy, only ldmatrix is left: in each step, its threads
// load 128 times two bytes, and a row of a again for each tile of its row. A copy loads once, and costs a launch. So it
// pays where a block of ldmatrix has more than one step. A short row grows up to eightfold, which memory limits. (The
// kernel numbers packs with 32 bits.)
template <class T>
bool copies_pay(const Plan<T>& p, Shape s) {
    const bool one_step = tiles_of<OneStage>(s) <= multiprocessors() * OneStage::BLOCKS && s.k <= TILE_K;
    const int64_t elements = s.batches * s.m * s.n + p.a.matrices * s.m * s.k + p.b.matrices * s.k * s.n;
    return !one_step && p.copied() < std::min<int64_t>(2 * elements + (1 << 24), 1ll << 34);
}

// workspace: whether the launch has memory for copies and parts.
template <class T>
Plan<T> plan_for(Matrix<T> a, Matrix<T> b, Shape s, TensorCoreStep step, bool workspace) {
    Plan<T> p = {step, padded(a, s.m, s.k, s.batches), padded(b, s.k, s.n, s.batches), {int(s.k), 1}};
    const bool whole = p.copied() == 0, copies = step == TensorCoreStep::automatic && workspace && copies_pay(p, s);
    if (!copies) p.a.matrices = p.b.matrices = 0;
    if (step == TensorCoreStep::automatic) p.step = whole || copies ? fastest(s) : TensorCoreStep::ldmatrix;
    if (s.k == 0) p.step = TensorCoreStep::ldmatrix;  // it adds nothing, copies nothing, and stores zeros
    if (!whole && !copies && p.step != TensorCoreStep::fragments && p.step != TensorCoreStep::ldmatrix)
        throw std::runtime_error(
            "this step copies packs of 16 bytes, and the rows of a or b (columns, if it is transposed) do not consist "
            "of them; auto takes any");
    if (p.step == TensorCoreStep::divided && workspace)
        p.parts = parts_of(int(s.k), TILE_K, tiles_of<Small>(s), multiprocessors() * Small::BLOCKS);
    return p;
}
