// product.h: what product.cu offers.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

// out = a b. a has 64 rows and b 64 columns of k numbers; each row of a and each column of b is contiguous. k is a
// multiple of 64.
void launch_product(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, int k, cudaStream_t stream);
