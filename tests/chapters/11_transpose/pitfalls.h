#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// Each: the transpose of a matrix.
void no_barrier(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
void one_barrier(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
void two_barriers(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
void early_return(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
void divergent(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
void no_attribute(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
void attribute(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
