// strip.h: what strip.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[c][r] = in[r][c], for a matrix of rows x columns.
void launch_strip(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
