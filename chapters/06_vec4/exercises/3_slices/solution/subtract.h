// subtract.h: what subtract.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// c[i] = a[i] - b[i] for 0 <= i < n, in the order of `stream`. c, a and b are any pointers to floats.
void launch_subtract(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);
