// blur.h: what blur.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// result[row][column] is the mean of matrix[row][column] and its neighbours to the left and to the right in the same
// row; where there is no neighbour, the element itself counts in its place. height x width elements, row-major.
void launch_blur(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream);
