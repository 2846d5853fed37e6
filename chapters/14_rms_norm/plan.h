// plan.h: which kernel of rms_norm.cu takes which rows, and how many blocks share the work. Host code.
#pragma once
#include <algorithm>
#include <cstdint>

#include "common/device_attribute.h"
#include "common/grid.h"
#include "common/shared_memory.h"
#include "row_part.h"

inline int64_t multiprocessors() { return device_attribute(cudaDevAttrMultiProcessorCount); }

// How the launches divide rows of n elements. The gradient of weight needs blocks that go from row to row: enough of
// them to keep the GPU busy, and few, because each writes a row of partial sums.
template <class Op, Layout layout>
struct Plan {
    int64_t bytes, columns, slabs;  // of a row; blocks side by side, and one below another
    int64_t sums;                   // bytes of shared memory for the sums of all columns
    int64_t most_blocks, blocks;    // ... that share a row, where it is read twice
    bool in_registers, twice, wide;

    Plan(int64_t rows, int64_t n) {
        constexpr int64_t size = Pack<typename Op::T>::SIZE;
        bytes = n * int64_t(sizeof(typename Op::T));
        in_registers = n <= 512 * size * PACKS<Op, layout>;
        // 128 rows keep all multiprocessors busy, and of rows up to 256 KiB the L2 cache keeps much.
        twice = !Op::OF_WEIGHT && rows >= 128 && bytes <= (256 << 10);
        constexpr int64_t step = WIDE_STEP<typename Op::T>;
        sums = (n + step - 1) / step * step * int64_t(sizeof(typename Op::N));
        wide =
            Op::OF_WEIGHT && rows >= 128 && !in_registers && sums <= most_shared_memory() - 1024;  // over_row()'s parts
        // One round of the loop over a row is 32 KiB; 2048 blocks are 16 for each multiprocessor.
        blocks = std::max<int64_t>(1, std::min(bytes >> 15, 2048 / std::max<int64_t>(rows, 1)));
        columns = blocks_for(n, int(256 * size) * COLUMN_PACKS<Op, layout>);
        most_blocks = Op::OF_WEIGHT ? 4 * multiprocessors() : INT32_MAX;
        slabs = std::min(rows, std::max<int64_t>(1, 8 * multiprocessors() / std::max<int64_t>(columns, 1)));
    }
    static int64_t wide_blocks(int64_t rows) { return std::min(rows, multiprocessors()); }
    int64_t partial_rows(int64_t rows) const {
        const int64_t blocks = in_registers ? std::min(rows, most_blocks) : wide ? wide_blocks(rows) : slabs;
        return Op::OF_WEIGHT && blocks > 1 ? blocks : 0;  // a single block writes the gradient itself
    }
    // In numbers of the type of which parts and factors consist.
    int64_t scratch(int64_t rows, int64_t n) const {
        constexpr int64_t numbers = sizeof(typename Op::Part) / sizeof(typename Op::N);
        return partial_rows(rows) * n + (in_registers || twice || wide ? 0 : rows * (blocks + 1) * numbers);
    }
};
