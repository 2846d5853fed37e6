// average.h: what average.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// sum[i] = a[i] + b[i], and out[i] is the average of sum[i] and the next element of sum, that of the last one is
// sum[0]: out[i] = (sum[i] + sum[(i + 1) % n]) / 2 for 0 <= i < n. Each i has a thread of its own.
void launch_average(float* out, float* sum, const float* a, const float* b, int64_t n, cudaStream_t stream);
