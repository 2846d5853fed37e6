// cub::BlockLoad: thread t of X gets the items t * N, t * N + 1, ...; or t, t + X, ... The algorithms differ in speed
// only.
#pragma once

#include "cuda_on_cpu/cub_block.h"

#pragma GCC visibility push(hidden)

namespace cub {

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};

template <class T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1>
class BlockLoad {
public:
    struct TempStorage {};
    __device__ explicit BlockLoad(TempStorage&) {}

    template <class Iterator>
    CUDA_ON_CPU_FOR_CALLER void Load(Iterator from, T (&items)[N], int valid = X * Y * Z * N) {
        for (int i = 0; i < N; i++) {
            const int index = cuda_on_cpu::index_in_block<X * Y * Z, N>(i, A == BLOCK_LOAD_STRIPED);
            if (index < valid) items[i] = from[index];
        }
    }
    template <class Iterator, class Default>
    CUDA_ON_CPU_FOR_CALLER void Load(Iterator from, T (&items)[N], int valid, Default otherwise) {
        for (T& item : items) item = otherwise;
        Load(from, items, valid);
    }
};

}  // namespace cub

#pragma GCC visibility pop
