// scores.h: what scores.cu offers.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// out = q @ k.T, for rows of 96 elements. The numbers of queries and of keys are multiples of 64.
void launch_scores(float* out, const __half* q, const __half* k, int queries, int keys, cudaStream_t stream);
