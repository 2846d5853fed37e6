// cub::WarpReduce: lane 0 of each group of N lanes gets the result.
#pragma once

#include "cuda_on_cpu/cub_block.h"

#pragma GCC visibility push(hidden)

namespace cub {

template <class T, int N = 32>
class WarpReduce {
public:
    struct TempStorage {
        T values[N];
    };
    __device__ explicit WarpReduce(TempStorage& storage) : storage_(storage) {}

    template <class Op>
    CUDA_ON_CPU_FOR_CALLER T Reduce(T value, Op op, int valid = N) {
        const int rank = cuda_on_cpu::rank_in_block(), lane = rank % N;
        storage_.values[lane] = value;
        __syncwarp(~0u >> (32 - N) << (rank % 32 - lane));
        return lane == 0 ? cuda_on_cpu::reduce_as_warp(storage_.values, valid, op) : value;
    }
    CUDA_ON_CPU_FOR_CALLER T Sum(T value, int valid = N) { return Reduce(value, std::plus<T>(), valid); }

private:
    TempStorage& storage_;
};

}  // namespace cub

#pragma GCC visibility pop
