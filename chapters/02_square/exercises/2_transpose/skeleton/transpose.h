// transpose.h: what transpose.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// result[column][row] = matrix[row][column]. matrix has height x width elements, result width x height, both row-major.
// No dimension is larger than 2^20 - 16. Throws std::runtime_error when the launch fails.
void launch_transpose(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream);
