// square.h: what square.cu defines and square.cpp calls. Plain pointers and a stream: no torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// Both: result[row][column] = matrix[row][column]^2 for a matrix of height x width, whose rows lie one after another in
// memory of the current device. The work is done in the order of `stream`. result may be matrix. Throws
// std::runtime_error if the launch fails.

// The threads of a warp go along the rows.
void launch_square_matrix(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream);

// The threads of a warp go down the columns.
void launch_square_by_columns(float* result, const float* matrix, int64_t height, int64_t width, cudaStream_t stream);
