// tail.h: what tail.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out = a @ b, for a of m rows and k columns, b of k rows and n columns. All are contiguous, and k may be 0.
void launch_tail(float* out, const float* a, const float* b, int64_t m, int64_t n, int64_t k, cudaStream_t stream);
