// long_rows.h: the kernels of rms_norm.cu for long rows, which are read twice, and their launcher. No torch.
#pragma once
#include <cstdint>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "common/shared_memory.h"
#include "device/over_row.h"
#include "plan.h"
#include "row_part.h"
#include "weight_gradient.h"

// Block number `block` of the `blocks` that share a row takes every `blocks`-th piece of it.
template <int packs, Layout layout, class Op>
__device__ typename Op::Part part_of_row(const Op& op, Row<layout, Op> row, unsigned block, unsigned blocks) {
    using T = typename Op::T;
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
    const auto factors = op.factors(part_of_row<packs>(op, row, 0, 1));
    for (int64_t i = 0; i < row.end; i += step) {
        Pack<T> v[Op::INPUTS][packs];
        load_inputs<layout, Pass::second>(v, op, row.section(i, step));
        write<layout>(op, row.section(i, step), row.weights(i, step), v, factors);
    }
}

// The same with the gradient of weight. A block goes from row to row, and its shared memory has a sum for each column.
// The sums of a thread are 512 apart, so that a warp's are in different banks; no other thread touches them.
template <class Op, Layout layout>
__global__ void __launch_bounds__(512, 1) wide_kernel(Op op, typename Op::N* partial) {
    using T = typename Op::T;
    using N = typename Op::N;
    constexpr int count = WIDE_PACKS * Pack<T>::SIZE;
    constexpr int64_t step = WIDE_STEP<T>;
    extern __shared__ double2 memory[];
    const auto sum = [&](int64_t i, int j) -> N& { return reinterpret_cast<N*>(memory)[i + j * 512 + threadIdx.x]; };
    for (int64_t i = 0; i < op.n; i += step) UNROLL for (int j = 0; j < count; j++) sum(i, j) = 0;
    for (int64_t r = blockIdx.x; r < op.rows; r += gridDim.x) {
        const Row<layout, Op> row(op, r);
        const auto factors = op.factors(part_of_row<WIDE_PACKS>(op, row, 0, 1));
        for (int64_t i = 0; i < op.n; i += step) {
            Pack<T> v[Op::INPUTS][WIDE_PACKS], w[WIDE_PACKS];
            N of_weight[count];
            load_inputs<layout, Pass::second>(v, op, row.section(i, step));
            load_packs<layout>(w, op.weight, row.weights(i, step), T(0.f));
            UNROLL for (int j = 0; j < count; j++) of_weight[j] = sum(i, j);
            write<layout>(op, row.section(i, step), v, w, factors, of_weight);
            UNROLL for (int j = 0; j < count; j++) sum(i, j) = of_weight[j];
        }
        __syncthreads();  // before the next over_row()
    }
    for (int64_t i = 0; i < op.n; i += step) {
        UNROLL for (int j = 0; j < count; j++) {
            const int64_t c = i + column_of<layout, Pack<T>::SIZE>(j);
            if (c >= op.n) continue;
            if (gridDim.x == 1)
                op.of_weight[c] = T(sum(i, j));
            else
                partial[blockIdx.x * op.n + c] = sum(i, j);
        }
    }
}

// A row by three launches: parts of rows, then the factors of each row, then results, where a block stays in its
// columns. Neighbouring blocks take the same columns of all rows, so that they find these weights in the L2 cache.
template <class Op, Layout layout>
__global__ void __launch_bounds__(512, 2) parts_kernel(typename Op::Part* parts, Op op, unsigned blocks) {
    const unsigned rows = gridDim.x / blocks, row = blockIdx.x % rows, block = blockIdx.x / rows;
    const auto all = part_of_row<PACKS<Op, layout>>(op, Row<layout, Op>(op, row), block, blocks);
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

// ---- which kernel for which long rows -------------------------------------------------------------------------------

// Returns how many rows of partial sums it leaves.
template <class Op, Layout layout>
int64_t launch_long(Op op, Layout of_long, const Plan<Op, layout>& plan, typename Op::N* partial, cudaStream_t stream) {
    using T = typename Op::T;
    if constexpr (Op::OF_WEIGHT) {
        if (plan.wide) {
            const int64_t blocks = plan.wide_blocks(op.rows);
            const auto kernel = wide_kernel<Op, layout>;
            allow_shared_memory(kernel);
            kernel<<<unsigned(blocks), 512, size_t(plan.sums), stream>>>(op, partial);
            CHECK_LAUNCH();
            return blocks;
        }
    } else {
        if (plan.twice) {
            const unsigned threads = plan.bytes > (40 << 10) ? 512 : 256;  // fewer: more blocks at a time
            with_layout<layout == Layout::whole ? Layout::whole : Layout::shifted, T>(of_long, [&](auto as) {
                const auto kernel = twice_kernel<Op, as()>;
                kernel<<<blocks_for(op.rows, 1), threads, 0, stream>>>(op);
            });
            CHECK_LAUNCH();
            return 0;
        }
    }
    auto* const parts = reinterpret_cast<typename Op::Part*>(partial + plan.partial_rows(op.rows) * op.n);
    auto* const factors = reinterpret_cast<typename Op::Factors*>(parts + op.rows * plan.blocks);
    const unsigned blocks = unsigned(plan.blocks);
    const auto parts_of = parts_kernel<Op, layout>;
    parts_of<<<blocks_for(op.rows * plan.blocks, 1), 512, 0, stream>>>(parts, op, blocks);
    CHECK_LAUNCH();
    factors_kernel<<<blocks_for(op.rows, 1), 256, 0, stream>>>(factors, parts, op, blocks);
    CHECK_LAUNCH();
    const auto results = columns_kernel<Op, layout>;
    results<<<dim3(unsigned(plan.columns), unsigned(plan.slabs)), 256, 0, stream>>>(op, factors, partial);
    CHECK_LAUNCH();
    return plan.slabs;
}
