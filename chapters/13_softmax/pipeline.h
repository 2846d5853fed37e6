// pipeline.h: three rows of a cluster at a time, in its shared memory: one arrives, one is reduced to its sums, one is
// written. No torch header in here.
#pragma once
#include <cuda_pipeline_primitives.h>

#include "groups.h"
#include "row.h"

// A kernel's loop over the rows of its cluster. While the parts of one row are on their way between the blocks, it
// writes the row before, and the one behind arrives:
//
//   for (Pipeline<T, packs, 1, threads> rows({x}, count, n, cluster); rows.any(); rows.advance()) {
//       if (rows.has_arrived()) cluster.send(... rows.arrived() ...);
//       if (rows.is_reduced()) ... cluster.receive() ... rows.reduced() ...
//   }
//
// It has `arrays` arrays of rows of n elements, and each thread has its own places in shared memory for `packs` packs
// of each: no other thread looks there, so none has to wait at a barrier. Pack k lies k * threads behind the first, so
// that neighbours read neighbouring packs.
template <class T, int packs, int arrays, int threads>
struct Pipeline {
    static constexpr int STAGES = 3;                                                        // rows
    static constexpr int BYTES = STAGES * arrays * packs * threads * int(sizeof(Pack<T>));  // of a block
    using Values = Elements<T, Pack<T>::SIZE, packs>;                                       // of a thread

    const T* x[arrays];
    int64_t rows, n;
    const Cluster<threads>& cluster;
    int64_t row;    // the one that has arrived
    int stage = 0;  // where it lies

    // Behind the end of its rows, elements are `none`.
    __device__ Pipeline(const T* const (&arguments)[arrays], int64_t rows, int64_t n, const Cluster<threads>& cluster,
                        float none = 0)
        : rows(rows), n(n), cluster(cluster), row(cluster.row()) {
        UNROLL for (int a = 0; a < arrays; a++) {
            x[a] = arguments[a];
            for (int k = 0; k < packs; k++) {
                if (Values::begin(k, cluster) < n) continue;
                for (int s = 0; s < STAGES; s++) {
                    for (T& value : place(s, a, k)->values) value = T(none);
                }
            }
        }
        fetch(row, 0);
        fetch(row + cluster.rows_at_a_time(), 1);
        __pipeline_wait_prior(1);  // all but the last row are here
    }

    __device__ bool any() const { return reduced_row() < rows; }
    __device__ bool has_arrived() const { return row < rows; }
    __device__ bool is_reduced() const { return reduced_row() >= 0; }
    __device__ int64_t reduced_row() const { return row - cluster.rows_at_a_time(); }

    // What this thread has of the row that has arrived, and of the one before it, which is reduced.
    __device__ Values arrived(int array = 0) const { return values(stage, array); }
    __device__ Values reduced(int array = 0) const { return values(before(), array); }

    // The row that was reduced is written by now: its place is free.
    __device__ void advance() {
        fetch(row + 2 * cluster.rows_at_a_time(), before());
        row += cluster.rows_at_a_time();
        stage = stage == STAGES - 1 ? 0 : stage + 1;
        __pipeline_wait_prior(1);
    }

private:
    __device__ int before() const { return stage == 0 ? STAGES - 1 : stage - 1; }

    __device__ static Pack<T>* place(int stage, int array, int k) {
        extern __shared__ uint4 places[];
        return reinterpret_cast<Pack<T>*>(places) + ((stage * arrays + array) * packs + k) * threads + int(threadIdx.x);
    }

    // Starts the copies that bring a row here, 16 bytes each, past the registers (`cp.async`).
    __device__ void fetch(int64_t row, int stage) const {
        UNROLL for (int a = 0; a < arrays && row < rows; a++) {
            const T* from = x[a] + row * n + Values::begin(0, cluster);
            UNROLL for (int k = 0; k < packs; k++) {
                if (Values::begin(k, cluster) < n) __pipeline_memcpy_async(place(stage, a, k), from, sizeof(Pack<T>));
                from += cluster.size() * Pack<T>::SIZE;
            }
        }
        __pipeline_commit();
    }

    __device__ Values values(int stage, int array) const {
        Values values;
        UNROLL for (int k = 0; k < packs; k++) {
            values.pack[k] = Values::template load_pack<Read::plain>(place(stage, array, k)->values);
        }
        return values;
    }
};
