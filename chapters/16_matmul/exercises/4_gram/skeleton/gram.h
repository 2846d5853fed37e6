// gram.h: what gram.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i][j] = the sum of a[l][i] * a[l][j] over the k rows of a: out has n rows and n columns. k may be 0.
void launch_gram(float* out, const float* a, int64_t k, int64_t n, cudaStream_t stream);
