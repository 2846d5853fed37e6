// cub::BlockReduce: thread 0 gets the result, as in CUB: each warp's as a tree, and those of the warps one after
// another.
#pragma once

#include "cuda_on_cpu/cub_block.h"

#pragma GCC visibility push(hidden)

namespace cub {

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
class BlockReduce {
public:
    struct TempStorage {
        T values[X * Y * Z];
    };
    __device__ explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

    template <class Op>
    CUDA_ON_CPU_FOR_CALLER T Reduce(T value, Op op, int valid = X * Y * Z) {
        const int rank = cuda_on_cpu::rank_in_block();
        storage_.values[rank] = value;
        __syncthreads();
        if (rank != 0) return value;
        T* values = storage_.values;
        T result = cuda_on_cpu::reduce_as_warp(values, std::min(32, valid), op);
        for (int i = 32; i < valid; i += 32)
            result = op(result, cuda_on_cpu::reduce_as_warp(values + i, std::min(32, valid - i), op));
        return result;
    }
    template <int N, class Op>
    CUDA_ON_CPU_FOR_CALLER T Reduce(T (&items)[N], Op op) {
        T value = items[0];
        for (int i = 1; i < N; i++) value = op(value, items[i]);
        return Reduce(value, op);
    }
    CUDA_ON_CPU_FOR_CALLER T Sum(T value, int valid = X * Y * Z) { return Reduce(value, std::plus<T>(), valid); }
    template <int N>
    CUDA_ON_CPU_FOR_CALLER T Sum(T (&items)[N]) {
        return Reduce(items, std::plus<T>());
    }

private:
    TempStorage& storage_;
};

}  // namespace cub

#pragma GCC visibility pop
