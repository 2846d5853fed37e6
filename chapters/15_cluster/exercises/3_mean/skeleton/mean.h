// mean.h: what mean.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[r] = the mean of the n > 0 elements of row r
void launch_mean(float* out, const float* x, int64_t rows, int64_t n, cudaStream_t stream);
