// long_rows.h: the kernels of rms_norm.cu for long rows, which are read twice. No torch.
#pragma once
#include <cstdint>

#include "device/over_row.h"
#include "row_part.h"
#include "weight_gradient.h"

// Block number `block` of the `blocks` that share a row takes every `blocks`-th piece of it.
template <Layout layout, class Op>
__device__ typename Op::Part part_of_row(const Op& op, Row<layout, Op> row, unsigned block, unsigned blocks) {
    using T = typename Op::T;
    constexpr int packs = PACKS<Op, layout>;
    const int64_t step = int64_t(blockDim.x) * packs * Pack<T>::SIZE;
    Pack<T> v[Op::INPUTS][packs], w[packs];
    typename Op::Part all = {};
    for (int64_t i = block * step; i < row.end; i += blocks * step) {
        load_inputs<layout, Pass::first>(v, op, row.section(i, step));
        if (Op::OF_WEIGHT) load_packs<layout>(w, op.weight, row.weights(i, step), T(0.f));
        all = all + part_of(op, v, w);
    }
    return over_row(all);
}

// A row by one block, which is fast as long as the L2 cache keeps what the block has read.
template <class Op, Layout layout>
__global__ void __launch_bounds__(512, BLOCKS<Op>) twice_kernel(Op op) {
    using T = typename Op::T;
    constexpr int packs = PACKS<Op, layout>;
    const Row<layout, Op> row(op, blockIdx.x);
    const int64_t step = int64_t(blockDim.x) * packs * Pack<T>::SIZE;
    const auto factors = op.factors(part_of_row(op, row, 0, 1));
    for (int64_t i = 0; i < row.end; i += step) {
        Pack<T> v[Op::INPUTS][packs];
        load_inputs<layout, Pass::second>(v, op, row.section(i, step));
        write<layout>(op, row.section(i, step), row.weights(i, step), v, factors);
    }
}

// A row by three launches: parts of rows, then the factors of each row, then results, where a block stays in its
// columns. Neighbouring blocks take the same columns of all rows, so that they find these weights in the L2 cache.
template <class Op, Layout layout>
__global__ void __launch_bounds__(512, BLOCKS<Op>) parts_kernel(typename Op::Part* parts, Op op, unsigned blocks) {
    const unsigned rows = gridDim.x / blocks, row = blockIdx.x % rows, block = blockIdx.x / rows;
    const auto all = part_of_row(op, Row<layout, Op>(op, row), block, blocks);
    if (threadIdx.x == 0) parts[row * blocks + block] = all;
}

template <class Op>
__global__ void factors_kernel(typename Op::Factors* factors, const typename Op::Part* parts, Op op, unsigned blocks) {
    typename Op::Part all = {};
    for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x) all = all + parts[int64_t(blockIdx.x) * blocks + i];
    all = over_row(all);
    if (threadIdx.x == 0) factors[blockIdx.x] = op.factors(all);
}

template <class Op, Layout layout>
__global__ void __launch_bounds__(256, 2 * BLOCKS<Op>)
    columns_kernel(Op op, const typename Op::Factors* factors, typename Op::N* partial) {
    using T = typename Op::T;
    constexpr int packs = COLUMN_PACKS<Op, layout>, count = packs * Pack<T>::SIZE;
    const int64_t size = 256 * count, i = blockIdx.x * size;
    typename Op::N of_weight[count] = {};
    Pack<T> v[Op::INPUTS][packs], w[packs];
    const int end = int(min(op.n - i, size));
    load_packs<layout>(w, op.weight, {i, 0, end}, T(0.f));
    for (int64_t r = blockIdx.y; r < op.rows; r += gridDim.y) {
        const Section s = {r * op.n + i, 0, end};
        load_inputs<layout, Pass::second>(v, op, s);
        write<layout>(op, s, v, w, factors[r], of_weight);
    }
    if constexpr (Op::OF_WEIGHT)
        write_sums<layout>(partial + blockIdx.y * op.n + i, gridDim.y == 1 ? op.of_weight + i : nullptr, end,
                           of_weight);
}
