#pragma once
#include <cuda_runtime.h>

// out: the root mean square of n numbers, as float16, with the sum in float16.
void half_squares(float* out, const float* x, int n, cudaStream_t stream);

// out[c]: the sum over all rows of x[r][c], for n rows of 32 columns.
void atomic_columns(float* out, const float* x, int n, cudaStream_t stream);

// The same as n rows of 32 columns, one after another, by threads that add up several.
void ordered_columns(float* out, const float* x, int n, cudaStream_t stream);
