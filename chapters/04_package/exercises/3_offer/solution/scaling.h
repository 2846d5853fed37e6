// scaling.h: what scaling_kernel.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = factor * in[i] for 0 <= i < n, in the order of `stream`.
void launch_scale(float* out, const float* in, float factor, int64_t n, cudaStream_t stream);
