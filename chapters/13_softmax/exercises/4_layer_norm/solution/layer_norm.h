// layer_norm.h: what layer_norm.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = (x[i] - mean) / sqrt(variance + eps) for each row, where the variance is the mean of (x[k] - mean)^2.
// 0 < n <= 512.
void launch_layer_norm(float* out, const float* x, int64_t rows, int n, float eps, cudaStream_t stream);
