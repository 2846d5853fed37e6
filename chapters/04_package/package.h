// package.h: what package_kernel.cu offers to package.cpp, and to any C++ program.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// output[i] = 2 input[i] for 0 <= i < n, in the order of `stream`. The pointers are to memory of the current device.
// output may be input. Throws std::runtime_error when the launch fails.
void launch_my_kernel(float* output, const float* input, int64_t n, cudaStream_t stream);
