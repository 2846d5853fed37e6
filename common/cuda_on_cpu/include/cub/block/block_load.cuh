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
    __device__ void Load(Iterator from, T (&items)[N], int valid = X * Y * Z * N) {
        for (int i = 0; i < N; i++)
            if (index(i) < valid) items[i] = from[index(i)];
    }
    template <class Iterator, class Default>
    __device__ void Load(Iterator from, T (&items)[N], int valid, Default otherwise) {
        for (T& item : items) item = otherwise;
        Load(from, items, valid);
    }

private:
    __device__ static int index(int i) {
        const int rank = cuda_on_cpu::rank_in_block();
        return A == BLOCK_LOAD_STRIPED ? i * X * Y * Z + rank : rank * N + i;
    }
};

}  // namespace cub

#pragma GCC visibility pop
