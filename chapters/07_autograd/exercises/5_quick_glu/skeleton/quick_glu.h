// quick_glu.h: what quick_glu.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All of them: 0 <= i < n, in the order of `stream`.

// out[i] = a[i] * sigmoid(1.702 * a[i]) * b[i]
void launch_forward(float* out, const float* a, const float* b, int64_t n, cudaStream_t stream);

// The gradients of a loss L, given grad[i] = dL/dout[i]: grad_a[i] = dL/da[i] and grad_b[i] = dL/db[i]. A gradient
// whose pointer is nullptr is not computed. Only grad_a needs b: without grad_a, b may be nullptr.
void launch_backward(float* grad_a, float* grad_b, const float* grad, const float* a, const float* b, int64_t n,
                     cudaStream_t stream);
