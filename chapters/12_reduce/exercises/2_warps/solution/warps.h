// warps.h: what warps.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// *total += the sum of x[0] to x[n - 1].
void launch_warps(float* total, const float* x, int64_t n, cudaStream_t stream);
