// rms_norm.h: what rms_norm.cu offers, for T = float, __half and __nv_bfloat16. No torch.
#pragma once
#include "softmax.h"

// x, out, grad and grad_x have `rows` rows of n elements, weight and grad_weight have n elements; otherwise as in
// softmax.h.

// out[r][c] = x[r][c] * s * weight[c], where s = 1 / sqrt(eps + the mean of x[r][i]^2 over all i)
template <class T>
void launch_rms_norm(T* out, const T* x, const T* weight, int64_t rows, int64_t n, float eps, Step step,
                     cudaStream_t stream);

// With s as above, and m the mean of grad[r][i] * weight[i] * x[r][i] over all i:
//     grad_x[r][c] = s * (grad[r][c] * weight[c] - x[r][c] * s^2 * m)
//     grad_weight[c] = the sum of grad[r][c] * x[r][c] * s over all r, in an order that depends on the GPU and the
//     sizes
// partial: memory for partial_rows<T>(rows, n, step) rows of n floats.
template <class T>
void launch_rms_norm_backward(T* grad_x, T* grad_weight, float* partial, const T* grad, const T* x, const T* weight,
                              int64_t rows, int64_t n, float eps, Step step, cudaStream_t stream);

template <class T>
int64_t partial_rows(int64_t rows, int64_t n, Step step);
