// long_rows.h: the kernels of rms_norm.cu for long rows, which are read twice. No torch.
#pragma once
#include <cstdint>

#include "device/over_row.h"
#include "row_part.h"
#include "weight_gradient.h"

// Block number `block` of the `blocks` that share a row takes every `blocks`-th piece of it.
template <bool whole, class Op>
__device__ typename Op::Part part_of_row(const Op& op, int64_t row, unsigned block, unsigned blocks) {
    using T = typename Op::T;
    constexpr int packs = PACKS<Op, whole>;
    const int64_t step = int64_t(blockDim.x) * packs * Pack<T>::SIZE;
    Pack<T> v[Op::INPUTS][packs], w[packs];
    typename Op::Part all = {};
    for (int64_t c = block * step; c < op.n; c += blocks * step) {
        const int here = int(min(op.n - c, step));
        load_inputs<whole, Pass::first>(v, op, row * op.n + c, here);
        if (Op::OF_WEIGHT) load_part<whole>(w, op.weight + c, here);
        all = all + part_of(op, v, w);
    }
    return over_row(all);
}

// A row by one block, which is fast as long as the L2 cache keeps what the block has read.
template <class Op, bool whole>
__global__ void __launch_bounds__(512, BLOCKS<Op, whole>) twice_kernel(Op op) {
    using T = typename Op::T;
    constexpr int packs = PACKS<Op, whole>, count = packs * Pack<T>::SIZE;
    const int64_t row = blockIdx.x, step = int64_t(blockDim.x) * count;
    const auto factors = op.factors(part_of_row<whole>(op, row, 0, 1));
    typename Op::N of_weight[count];  // which has no gradient here
    for (int64_t c = 0; c < op.n; c += step) {
        const int here = int(min(op.n - c, step));
        Pack<T> v[Op::INPUTS][packs], w[packs];
        load_inputs<whole, Pass::second>(v, op, row * op.n + c, here);
        load_part<whole>(w, op.weight + c, here);
        write<whole>(op, row * op.n + c, here, v, w, factors, of_weight);
    }
}

// A row by three launches: parts of rows, then the factors of each row, then results, where a block stays in its
// columns.
template <class Op, bool whole>
__global__ void __launch_bounds__(512, BLOCKS<Op, whole>)
    parts_kernel(typename Op::Part* parts, Op op, unsigned blocks) {
    const auto all = part_of_row<whole>(op, blockIdx.x / blocks, blockIdx.x % blocks, blocks);
    if (threadIdx.x == 0) parts[blockIdx.x] = all;
}

template <class Op>
__global__ void factors_kernel(typename Op::Factors* factors, const typename Op::Part* parts, Op op, unsigned blocks) {
    typename Op::Part all = {};
    for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x) all = all + parts[int64_t(blockIdx.x) * blocks + i];
    all = over_row(all);
    if (threadIdx.x == 0) factors[blockIdx.x] = op.factors(all);
}

template <class Op, bool whole>
__global__ void __launch_bounds__(256, 2 * BLOCKS<Op, whole>)
    columns_kernel(Op op, const typename Op::Factors* factors, typename Op::N* partial) {
    using T = typename Op::T;
    constexpr int packs = PACKS<Op, whole>, count = packs * Pack<T>::SIZE;
    const int64_t c = int64_t(blockIdx.x) * 256 * count;
    const int here = int(min(op.n - c, int64_t(256) * count));
    typename Op::N of_weight[count] = {};
    Pack<T> v[Op::INPUTS][packs], w[packs];
    load_part<whole>(w, op.weight + c, here);
    for (int64_t row = blockIdx.y; row < op.rows; row += gridDim.y) {
        load_inputs<whole, Pass::second>(v, op, row * op.n + c, here);
        write<whole>(op, row * op.n + c, here, v, w, factors[row], of_weight);
    }
    if (Op::OF_WEIGHT) write_partial<whole>(partial + blockIdx.y * op.n + c, op, here, of_weight);
}
