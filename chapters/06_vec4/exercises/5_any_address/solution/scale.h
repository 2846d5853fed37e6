// scale.h: what scale.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// x[i] = factor * x[i] for 0 <= i < n, in the order of `stream`. x is any pointer to floats; all of them but at most
// six are read and written as float4. n may be 0. Throws std::runtime_error when the launch fails.
void launch_scale(float* x, float factor, int64_t n, cudaStream_t stream);
