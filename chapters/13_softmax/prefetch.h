// prefetch.h: rows that are fetched from memory one ahead: while a group computes a row, the next one is on its way. No
// torch header in here.
#pragma once
#include <cuda_pipeline_primitives.h>

#include "row.h"

// A thread's own places in shared memory, for its part of a row, as packs of T: no other thread looks there, so none
// has to wait at a barrier. Pack k lies k * threads behind the first, so that neighbours read neighbouring packs.
template <class T, int elements>
struct Buffer {
    static constexpr int SIZE = Pack<T>::SIZE;
    Pack<T>* first;

    // Number `array` of the buffers that the launcher has asked for.
    __device__ explicit Buffer(int array) {
        extern __shared__ uint4 buffers[];
        const int threads = int(blockDim.x * blockDim.y);
        first = reinterpret_cast<Pack<T>*>(buffers) + array * (elements / SIZE) * threads +
                int(threadIdx.y * blockDim.x + threadIdx.x);
    }

    // Starts the copies that bring this thread's part of a row here, 16 bytes each, past the registers (`cp.async`).
    // Behind the row's end they bring zeros instead.
    template <class Group>
    __device__ void fetch(const T* row, int n, const Group& group) const {
        UNROLL for (int k = 0; k < elements / SIZE; k++) {
            const int begin = (group.rank() + k * group.size()) * SIZE;
            __pipeline_memcpy_async(first + k * int(blockDim.x * blockDim.y), row + (begin < n ? begin : 0),
                                    sizeof(Pack<T>), begin < n ? 0 : sizeof(Pack<T>));
        }
        __pipeline_commit();
    }

    __device__ Pack<T> pack(int k) const { return first[k * int(blockDim.x * blockDim.y)]; }
};

// An array whose rows are prefetched. A kernel has `arrays` of them, with the numbers 0, 1 ..., and loads a row of each
// in turn.
template <class T, int elements, int arrays = 1>
struct PrefetchedRows {
    static constexpr int SIZE = Pack<T>::SIZE, ELEMENTS = elements;
    const T* x;
    int64_t rows, n;
    int array;

    template <class Group>
    __device__ PrefetchedRows(const T* x, int64_t rows, int64_t n, const Group& group, int array = 0)
        : x(x), rows(rows), n(n), array(array) {
        fetch(group.first_row(), group);
    }

    template <class Group>
    __device__ void fetch(int64_t first, const Group& group) const {
        const Row row = row_of_thread(first, rows, n);
        Buffer<T, elements>(array).fetch(x + row.begin, row.n, group);
    }

    // This thread's part of a row, as LoadedRows::load.
    template <class Group>
    __device__ Row load(float (&values)[elements], int64_t first, const Group& group, float none) const {
        const Row row = row_of_thread(first, rows, n);
        __pipeline_wait_prior(arrays - 1);  // the other arrays' copies started later, and may go on
        UNROLL for (int k = 0; k < elements / SIZE; k++) {
            // Where the values behind the row's end are to be 0, the copies have brought zeros already.
            const bool there = none == 0 || (group.rank() + k * group.size()) * SIZE < row.n;
            const Pack<T> pack = Buffer<T, elements>(array).pack(k);
            UNROLL for (int j = 0; j < SIZE; j++) values[k * SIZE + j] = there ? float(pack.values[j]) : none;
        }
        fetch(first + group.rows_at_a_time(), group);
        return row;
    }
};
