// product.h: what product.cu offers.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// out[i][j] = the sum of a[i][l] * b[j][l] over all l, for a of m rows, b of n rows, and k columns: out = a @ b.T. m
// and k are multiples of 16, and n is a multiple of 8.
void launch_product(float* out, const __half* a, const __half* b, int m, int n, int k, cudaStream_t stream);
