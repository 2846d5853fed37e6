// log_softmax.h: what log_softmax.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// The logarithm of the softmax of each row: out[i] = x[i] - max - log(sum of exp(x[k] - max)). 0 < n <= 512.
void launch_log_softmax(float* out, const float* x, int64_t rows, int n, cudaStream_t stream);
