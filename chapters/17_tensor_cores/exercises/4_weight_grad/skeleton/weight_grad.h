// weight_grad.h: what weight_grad.cu offers.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

// out[i][j] = the sum of grad[l][i] * x[l][j] over all l, for grad of k rows and m columns and x of k rows and n
// columns: out = grad.T @ x, the gradient of a linear layer's weight. All sizes may be any, also 0.
void launch_weight_grad(float* out, const __half* grad, const __half* x, int64_t m, int64_t n, int64_t k,
                        cudaStream_t stream);
