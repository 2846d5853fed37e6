// axpy.h: what axpy.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = factor * x[i] + y[i] for 0 <= i < n, in the order of `stream`.
void launch_axpy(float* out, const float* x, const float* y, float factor, int64_t n, cudaStream_t stream);
