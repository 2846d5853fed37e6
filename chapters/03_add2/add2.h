// add2.h: what add2.cu offers. It names pointers, a size and a stream, and no tensor, so any C++ program can call it.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// c[i] = a[i] + b[i] for 0 <= i < n, in the order of `stream`. The pointers are to memory of the current device.
// c may be a or b. Throws std::runtime_error when the launch fails.
void launch_add2(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);
