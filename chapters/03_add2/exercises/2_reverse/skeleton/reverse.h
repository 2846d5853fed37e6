// reverse.h: what reverse.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = in[n - 1 - i] for 0 <= i < n, in the order of `stream`. out and in do not overlap. n may be 0. Throws
// std::runtime_error when the launch fails.
void launch_reverse(float* out, const float* in, int64_t n, cudaStream_t stream);
