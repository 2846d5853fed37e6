// reduce.h: what reduce.cu offers, for T = float, __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

// All of them: *out = the sum of the n elements of x, added in float and rounded to T once; 0 where n is 0. x and out
// are memory of the current device. Work is done in the order of `stream`. scratch: memory of scratch_floats() floats
// that begins at a multiple of 16 bytes and that no other launch uses until this one is done; it need not be
// initialised. They throw std::runtime_error when a launch fails.

// Their atomics add in whatever order the GPU executes them. A thread for each element: they throw
// std::invalid_argument where these are more than a grid can have (common/grid.h).
template <class T>
void launch_sum_atomic(T* out, const T* x, int64_t n, float* scratch, cudaStream_t stream);
template <class T>
void launch_sum_tree(T* out, const T* x, int64_t n, float* scratch, cudaStream_t stream);
template <class T>
void launch_sum_shuffle(T* out, const T* x, int64_t n, float* scratch, cudaStream_t stream);

// blocks: of the grid, the same as for scratch_floats(); 0 stands for as many as suit the GPU.
template <class T>
void launch_sum_packs(T* out, const T* x, int64_t n, float* scratch, int blocks, cudaStream_t stream);

// The order of the additions depends on n, T and the number of blocks: with 0, on the GPU.
template <class T>
void launch_sum_last_block(T* out, const T* x, int64_t n, float* scratch, int blocks, cudaStream_t stream);

// The order of the additions depends on n and T alone.
template <class T>
void launch_sum_chunks(T* out, const T* x, int64_t n, float* scratch, int blocks, cudaStream_t stream);

// Enough for any of them with so many elements and blocks. A kernel with more partial sums needs more.
template <class T>
int64_t scratch_floats(int64_t n, int blocks);
