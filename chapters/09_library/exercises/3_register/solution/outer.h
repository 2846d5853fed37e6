// outer.h: what outer.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i * n + j] = x[i] * y[j] for 0 <= i < m and 0 <= j < n, in the order of `stream`.
void launch_outer(float* out, const float* x, const float* y, int64_t m, int64_t n, cudaStream_t stream);
