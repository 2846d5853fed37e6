// scale_rows.h: what scale_rows.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// result[row][column] = factors[row] * matrix[row][column], for matrices of height x width, row-major.
void launch_scale_rows(float* result, const float* matrix, const float* factors, int64_t height, int64_t width,
                       cudaStream_t stream);
