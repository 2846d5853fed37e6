// row_sum.h: what row_sum.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// sums[r] = the sum of the n elements of row r, 0 for n = 0
void launch_row_sum(float* sums, const float* x, int64_t rows, int64_t n, cudaStream_t stream);
