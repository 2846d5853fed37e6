#pragma once
#include <cuda_runtime.h>

// Each: the sum of n elements of x by one block of so many threads, with so many bytes of shared memory, or as many as
// the threads have sums.
void only_powers_of_two(float* out, const float* x, int n, int threads, int bytes, cudaStream_t stream);
void warp_in_step(float* out, const float* x, int n, int threads, int bytes, cudaStream_t stream);
void lanes_left_out(float* out, const float* x, int n, int threads, int bytes, cudaStream_t stream);
void barrier_in_a_branch(float* out, const float* x, int n, int threads, int bytes, cudaStream_t stream);
void no_second_barrier(float* out, const float* x, int n, int threads, int bytes, cudaStream_t stream);
