// negate.h: what negate.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// result[row][column] = -matrix[row][column], for matrices of height x width, row-major.
void launch_negate(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream);
