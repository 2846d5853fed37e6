// store.h: what store.cu offers.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// out = o / sum: each of `rows` rows of 64 sums, divided by the sum of its weights. Two blocks do all.
void launch_store(__half* out, const float* o, const float* sum, int rows, cudaStream_t stream);
