// in_step.h: what in_step.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// sums[b] = the sum of x[256 * b] to x[256 * b + 255], for 0 <= b < blocks. Block b of the grid computes it.
void launch_in_step(float* sums, const float* x, int64_t blocks, cudaStream_t stream);
