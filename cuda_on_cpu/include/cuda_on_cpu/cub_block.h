// What CUB's functions of a block share. Each is plain CUDA C++, made to be read: right in every order of the threads,
// and not fast. Like CUB's own it needs a __syncthreads() before its TempStorage serves again.
#pragma once

#include "cuda_runtime.h"

#include <functional>

#define CUB_VERSION 300000  // of CUDA 13, whose CUB has no cub::Sum any more

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

__device__ inline int rank_in_block() {
    return int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

// Which of the block's threads * N items is number i of this thread's N: they lie together, or a block apart (striped).
template <int threads, int N>
__device__ int index_in_block(int i, bool striped) {
    return striped ? i * threads + rank_in_block() : rank_in_block() * N + i;
}

// The n values of a warp, in the order in which its shuffles bring them together: neighbours first.
template <class T, class Op>
CUDA_ON_CPU_FOR_CALLER T reduce_as_warp(T* values, int n, Op op) {
    for (int offset = 1; offset < n; offset *= 2)
        for (int i = 0; i + offset < n; i += 2 * offset) values[i] = op(values[i], values[i + offset]);
    return values[0];
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
