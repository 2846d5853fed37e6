// bias_gelu.h: what bias_gelu_kernel.cu offers, for T = float and T = double. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All of them: x, out, grad and grad_x have `rows` rows of `columns` elements, row after row, and bias and grad_bias
// have `columns` elements. The pointers are to memory of the current device. Work is done in the order of `stream`.
// tanh: GELU's approximation by tanh, or GELU itself. They throw std::runtime_error when a launch fails.

// out[r][c] = gelu(x[r][c] + bias[c]). out may be x.
template <class T>
void launch_bias_gelu(T* out, const T* x, const T* bias, int64_t rows, int64_t columns, bool tanh, cudaStream_t stream);

// The gradients of a loss L, given grad[r][c] = dL/dout[r][c]:
//     grad_x[r][c] = dL/dx[r][c] = grad[r][c] * gelu'(x[r][c] + bias[c])
//     grad_bias[c] = dL/dbias[c] = the sum of grad_x[r][c] over all r, in an order that depends on the GPU, the sizes
//     and whether all pointers are multiples of 16 alone
// partial: memory for partial_rows<T>(rows, columns) rows of `columns` elements.
template <class T>
void launch_bias_gelu_backward(T* grad_x, T* grad_bias, T* partial, const T* grad, const T* x, const T* bias,
                               int64_t rows, int64_t columns, bool tanh, cudaStream_t stream);

// How many rows of sums launch_bias_gelu_backward writes before it adds them up; 0 when it needs none.
template <class T>
int64_t partial_rows(int64_t rows, int64_t columns);
