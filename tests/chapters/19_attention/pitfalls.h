#pragma once
#include <cuda_runtime.h>

// Attention of `queries` rows of q and `keys` rows of k and v, of 32 floats each. What a function's name says is
// missing.
void no_mask(float* out, const float* q, const float* k, const float* v, int queries, int keys, cudaStream_t stream);
void no_shrink(float* out, const float* q, const float* k, const float* v, int queries, int keys, cudaStream_t stream);
void no_guard(float* out, const float* q, const float* k, const float* v, int queries, int keys, cudaStream_t stream);
void no_barrier(float* out, const float* q, const float* k, const float* v, int queries, int keys, cudaStream_t stream);
