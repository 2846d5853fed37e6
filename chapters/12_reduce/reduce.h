// reduce.h: the launchers of reduce.cu, for T = float, double, __half and __nv_bfloat16. Without torch.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

// Each sets *out to the sum of the n elements of x, in the order of `stream`. It adds double in double and all other
// types in float, and rounds to T once. For n = 0 the sum is 0. x and out point to memory of the current device.
// scratch has scratch_bytes() bytes and begins at a multiple of 16. No other launch may use it until this one has
// finished. It need not be initialised. Each throws std::runtime_error if a launch fails.

// The order of the additions is that in which the GPU executes the atomics. These three have a thread for each element,
// and throw std::invalid_argument if a grid cannot have that many (common/grid.h).
template <class T>
void launch_sum_atomic(T* out, const T* x, int64_t n, void* scratch, cudaStream_t stream);
template <class T>
void launch_sum_tree(T* out, const T* x, int64_t n, void* scratch, cudaStream_t stream);
template <class T>
void launch_sum_shuffle(T* out, const T* x, int64_t n, void* scratch, cudaStream_t stream);

// blocks is the number of blocks, as for scratch_bytes(). 0 stands for as many as suit the GPU.
template <class T>
void launch_sum_packs(T* out, const T* x, int64_t n, void* scratch, int blocks, cudaStream_t stream);

// The order of the additions depends on n, T and the number of blocks. With blocks = 0 it depends on the GPU.
template <class T>
void launch_sum_last_block(T* out, const T* x, int64_t n, void* scratch, int blocks, cudaStream_t stream);

// The order of the additions depends on n and T alone.
template <class T>
void launch_sum_chunks(T* out, const T* x, int64_t n, void* scratch, int blocks, cudaStream_t stream);

// Enough for any of these launchers. A kernel with more partial sums needs more.
template <class T>
int64_t scratch_bytes(int64_t n, int blocks);
