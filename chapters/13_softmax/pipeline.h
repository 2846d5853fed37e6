// pipeline.h: the rows of a cluster: while it works on one, the next ones arrive in its shared memory. No torch header
// in here.
#pragma once
#include <cuda_pipeline_primitives.h>

#include "groups.h"
#include "row.h"

// A kernel's loop over the rows of its cluster:
//
//   for (Pipeline<T, packs, 1, threads, 1> rows({x}, count, n, cluster); rows.any(); rows.advance()) {
//       const auto values = rows.arrived();  // in registers: what this thread has of the row
//       cluster.send(... values ...);
//       rows.fetch();                        // its place is free: the copies of a later row start
//       ... cluster.receive() ... values ...
//   }
//
// It has `arrays` arrays of rows of n elements, and `stages` rows have places in shared memory. Each thread has places
// of its own for `packs` packs of each array and row: no other thread looks there, so none has to wait at a barrier.
// Pack k lies k * threads behind the first, so that neighbours read neighbouring packs.
template <class T, int packs, int arrays, int threads, int stages>
struct Pipeline {
    static constexpr int BYTES = stages * arrays * packs * threads * int(sizeof(Pack<T>));  // of a block
    using Values = Elements<T, Pack<T>::SIZE, packs>;                                       // of a thread

    const T* x[arrays];
    int64_t rows, n;
    const Cluster<threads>& cluster;
    int64_t row;
    int stage = 0;  // its place

    // Behind the end of its rows, elements are `none`.
    __device__ Pipeline(const T* const (&arguments)[arrays], int64_t rows, int64_t n, const Cluster<threads>& cluster,
                        float none = 0)
        : rows(rows), n(n), cluster(cluster), row(cluster.row()) {
        UNROLL for (int a = 0; a < arrays; a++) {
            x[a] = arguments[a];
            for (int k = 0; k < packs; k++) {
                if (Values::begin(k, cluster) < n) continue;
                for (int s = 0; s < stages; s++) {
                    for (T& value : place(s, a, k)->values) value = T(none);
                }
            }
        }
        for (int s = 0; s < stages; s++) fetch(row + s * cluster.rows_at_a_time(), s);
        __pipeline_wait_prior(stages - 1);
    }

    __device__ bool any() const { return row < rows; }

    // What this thread has of the row.
    __device__ Values arrived(int array = 0) const {
        Values values;
        UNROLL for (int k = 0; k < packs; k++) {
            values.pack[k] = Values::template load_pack<Read::plain>(place(stage, array, k)->values);
        }
        return values;
    }

    // This row's place is free: starts the copies of the row that comes there.
    __device__ void fetch() const { fetch(row + stages * cluster.rows_at_a_time(), stage); }

    // The next row, as soon as this thread's part of it is here.
    __device__ void advance() {
        row += cluster.rows_at_a_time();
        stage = stage == stages - 1 ? 0 : stage + 1;
        __pipeline_wait_prior(stages - 1);
    }

private:
    __device__ static Pack<T>* place(int stage, int array, int k) {
        // At a multiple of 128 bytes, so that the 512 bytes of a warp fill whole rows of the 32 banks.
        extern __shared__ __align__(128) uint4 places[];
        return reinterpret_cast<Pack<T>*>(places) + ((stage * arrays + array) * packs + k) * threads + int(threadIdx.x);
    }

    // Starts a copy of 16 bytes past the registers: __pipeline_memcpy_async(), with a hint for the L2 cache.
    __device__ static void copy(Pack<T>* to, const T* from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                         unsigned(__cvta_generic_to_shared(to))),
                     "l"(from), "l"(keep_policy())
                     : "memory");
#endif
    }

    // Starts the copies that bring a row here.
    __device__ void fetch(int64_t row, int stage) const {
        UNROLL for (int a = 0; a < arrays && row < rows; a++) {
            const T* from = x[a] + row * n + Values::begin(0, cluster);
            UNROLL for (int k = 0; k < packs; k++) {
                if (Values::begin(k, cluster) < n) copy(place(stage, a, k), from);
                from += cluster.size() * Pack<T>::SIZE;
            }
        }
        __pipeline_commit();
    }
};
