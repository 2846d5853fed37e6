// sigmoid.h: what sigmoid.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// x[i] becomes 1 / (1 + exp(-x[i])) for 0 <= i < n, in the order of `stream`.
void launch_sigmoid(float* x, int64_t n, cudaStream_t stream);
