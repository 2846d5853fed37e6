// ladder.h: what ladder.cu offers wgmma.cu.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

// A product for the kernels of the ladder. steps: of 64 numbers of k. a_batched: 0 where all batches share a.
template <class T>
struct Ladder {
    T* out;
    int m, n, steps, a_batched, b_batched;
};

// Launches the rung of that name, first, larger or ring, for operands that TMA can read. False: no rung has that name.
template <class T>
bool launch_ladder(const std::string& step, const CUtensorMap& a, const CUtensorMap& b, bool a_along_k, bool b_along_k,
                   const Ladder<T>& p, int64_t batches, cudaStream_t stream);
