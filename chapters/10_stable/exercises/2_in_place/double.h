// double.h: what double.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// x[i] = 2 * x[i] for 0 <= i < n, in the order of `stream`.
void launch_double(float* x, int64_t n, cudaStream_t stream);
