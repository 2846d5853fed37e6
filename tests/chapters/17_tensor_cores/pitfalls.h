#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One warp each. out = a @ b.T for a of 16 rows, b of 8 rows, and k columns, a multiple of 16.
void half_sums(float* out, const __half* a, const __half* b, int k, cudaStream_t stream);

// The same for a of m <= 16 rows.
void not_all_lanes(float* out, const __half* a, const __half* b, int m, int k, cudaStream_t stream);

// The same for 16 columns, with b of 16 rows and 8 columns as it lies: out = a @ b.
void no_trans(float* out, const __half* a, const __half* b, cudaStream_t stream);

// out = in of 8 rows and 64 columns, by way of ldmatrix. Right, and slow.
void no_swizzle(__half* out, const __half* in, cudaStream_t stream);
