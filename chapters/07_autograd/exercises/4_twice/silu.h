// silu.h: what silu.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All of them: 0 <= i < n, in the order of `stream`.
// out[i] = silu(x[i]), where silu(x) = x * s and s = sigmoid(x)
void launch_silu_forward(double* out, const double* x, int64_t n, cudaStream_t stream);
// grad_x[i] = grad[i] * s * (1 + x[i] * (1 - s))
void launch_silu_backward(double* grad_x, const double* grad, const double* x, int64_t n, cudaStream_t stream);
