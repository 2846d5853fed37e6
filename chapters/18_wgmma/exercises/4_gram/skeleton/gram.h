// gram.h: what gram.cu offers.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

// out[i][j] = the sum of x[r][i] * x[r][j] over all rows r: each column of x by every column. `columns` is a
// multiple of 64.
void launch_gram(float* out, const __nv_bfloat16* x, int rows, int columns, cudaStream_t stream);
