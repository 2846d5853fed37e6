// row.h: a thread's part of a row, in its registers. Groups of threads, which share a row, are in groups.h. No torch
// header in here.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/pack.h"

// A thread keeps `elements` elements of a row as floats: packs of `size` elements, number rank, rank + group.size() and
// so on, so that neighbours read neighbouring packs. size is that of a Pack of 16 bytes where all rows begin at
// multiples of 16, and 1 elsewhere.
constexpr int ELEMENTS = 16;
constexpr int LONG_ELEMENTS = 32;  // of a long row

// Registers have no index: an array that a loop indexes at run time lies in memory. So a loop over the elements must be
// unrolled, and nvcc unrolls one over 32 only if asked.
#define UNROLL _Pragma("unroll")

// Behind the end of the row, which has n elements, values become `none`. For them a thread reads the row's first pack
// once more, because loads under an `if` might wait for one another.
template <int size, class T, int elements, class Group>
__device__ void load(float (&values)[elements], const T* row, int n, const Group& group, float none) {
    Pack<T, size> packs[elements / size];
    UNROLL for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        packs[k] = *reinterpret_cast<const Pack<T, size>*>(row + (begin < n ? begin : 0));
    }
    UNROLL for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        UNROLL for (int j = 0; j < size; j++) values[k * size + j] = begin < n ? float(packs[k].values[j]) : none;
    }
}

template <int size, class T, int elements, class Group>
__device__ void store(T* row, const float (&values)[elements], int n, const Group& group) {
    UNROLL for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        Pack<T, size> pack;
        UNROLL for (int j = 0; j < size; j++) pack.values[j] = T(values[k * size + j]);
        if (begin < n) *reinterpret_cast<Pack<T, size>*>(row + begin) = pack;
    }
}

// Where a row begins in its array, and how many elements it has.
struct Row {
    int64_t begin;
    int n;
};

// The row of this thread, if the first one of its block is number `first` of `rows` rows. In the last block, some
// threads may have no row. They take part in shuffles all the same, with a row of 0 elements that begins where they may
// read.
__device__ inline Row row_of_thread(int64_t first, int64_t rows, int64_t n) {
    const int64_t row = first + threadIdx.y;
    return {row < rows ? row * n : 0, row < rows ? int(n) : 0};
}

// An array whose rows are loaded when a group comes to them. PrefetchedRows, in prefetch.h, is used in the same way.
template <class T, int size, int elements>
struct LoadedRows {
    static constexpr int SIZE = size, ELEMENTS = elements;
    const T* x;
    int64_t rows, n;

    template <class Group>
    __device__ LoadedRows(const T* x, int64_t rows, int64_t n, const Group&, int /*array*/ = 0)
        : x(x), rows(rows), n(n) {}

    // This thread's part of a row, where `first` is the number of the block's first row. Returns where the row is.
    template <class Group>
    __device__ Row load(float (&values)[elements], int64_t first, const Group& group, float none) const {
        const Row row = row_of_thread(first, rows, n);
        ::load<size>(values, x + row.begin, row.n, group, none);
        return row;
    }
};
