// masked.h: what masked.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// The softmax of each row of n > 0 elements. An element that is masked out is -infinity.
void launch_masked(float* out, const float* x, int64_t rows, int64_t n, cudaStream_t stream);
