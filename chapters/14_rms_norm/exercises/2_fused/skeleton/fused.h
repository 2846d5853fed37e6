// fused.h: what fused.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// sum = x + residual, and y[r][c] = sum[r][c] * scale[r] * weight[c], where scale[r] is 1 / sqrt(the mean of the
// squares of row r of sum, plus eps). 0 < n <= 512.
void launch_fused(float* y, float* sum, const float* x, const float* residual, const float* weight, int64_t rows, int n,
                  float eps, cudaStream_t stream);
