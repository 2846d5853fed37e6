// rotate.h: what rotate.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// Turns an image of rows x columns clockwise by 90 degrees: out[c][rows - 1 - r] = in[r][c]. out has columns x rows.
void launch_rotate(float* out, const float* in, int64_t rows, int64_t columns, cudaStream_t stream);
