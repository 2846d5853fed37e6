// squares.h: what squares.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = i * i for 0 <= i < n. n may be 0. Throws std::runtime_error when the launch fails.
void launch_squares(int64_t* out, int64_t n, cudaStream_t stream);
