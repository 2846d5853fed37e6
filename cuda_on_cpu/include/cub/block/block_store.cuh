// cub::BlockStore: thread t of X stores the items t * N, t * N + 1, ...; or t, t + X, ...
#pragma once

#include "cuda_on_cpu/cub_block.h"

#pragma GCC visibility push(hidden)

namespace cub {

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};

template <class T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
class BlockStore {
public:
    struct TempStorage {};
    __device__ explicit BlockStore(TempStorage&) {}

    template <class Iterator>
    CUDA_ON_CPU_FOR_CALLER void Store(Iterator to, const T (&items)[N], int valid = X * Y * Z * N) {
        for (int i = 0; i < N; i++) {
            const int index = cuda_on_cpu::index_in_block<X * Y * Z, N>(i, A == BLOCK_STORE_STRIPED);
            if (index < valid) to[index] = items[i];
        }
    }
};

}  // namespace cub

#pragma GCC visibility pop
