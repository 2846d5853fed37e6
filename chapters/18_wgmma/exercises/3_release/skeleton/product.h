// product.h: what product.cu offers.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

// out = a b, where a has 64 rows of k numbers and b has 64 columns of k numbers, each stored one after another. k is a
// multiple of 64.
void launch_product(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, int k, cudaStream_t stream);
