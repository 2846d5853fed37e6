// scale.h: what scale.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// x[i] = factor * x[i] for 0 <= i < n, in the order of `stream`.
void launch_scale(float* x, float factor, int64_t n, cudaStream_t stream);
