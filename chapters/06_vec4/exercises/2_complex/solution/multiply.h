// multiply.h: what multiply.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = a[i] * b[i] for 0 <= i < n, in the order of `stream`. Each float2 is a complex number: x is its real part, y
// its imaginary part. The pointers are multiples of 8 bytes.
void launch_multiply(float2* out, const float2* a, const float2* b, int64_t n, cudaStream_t stream);
