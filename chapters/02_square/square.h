// square.h: what square.cu defines and square.cpp calls. Plain pointers and a stream: no torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All pointers are to memory of the current device, all work is in the order of `stream`, the output may be an input.
// Each throws std::runtime_error when its launch fails.

// result[row][column] = matrix[row][column]^2 for a matrix of height x width, rows one after another in memory.
void launch_square_matrix(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream);

// The same result, by threads that run down the columns.
void launch_square_by_columns(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream);

// output[i] = 2 input[i] for 0 <= i < n.
void launch_custom_operation(float* output, const float* input, int64_t n, cudaStream_t stream);

// c[i] = a[i] + b[i] for 0 <= i < n.
void launch_add(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);
