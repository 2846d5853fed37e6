// rms_norm.h: what rms_norm.cu offers, for T = float, double, __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All arrays but weight and its gradient have `rows` rows of n elements, row after row, in memory of the current
// device. Arithmetic is in float, for double in double. scratch: memory for as many of these numbers as the next two
// functions say. Work is done in the order of `stream`. A launch that fails throws std::runtime_error.
template <class T>
int64_t forward_scratch(int64_t rows, int64_t n);
template <class T>
int64_t backward_scratch(int64_t rows, int64_t n);

// y[r][c] = x[r][c] * scale[r] * weight[c], where scale[r] = 1 / sqrt(the mean of x[r][i]^2 over all i, plus eps)
template <class T>
void launch_rms_norm(T* y, const T* x, const T* weight, void* scratch, int64_t rows, int64_t n, double eps,
                     cudaStream_t stream);

// sum = x + residual, rounded to T, and the above of the sum. sum must begin as many bytes after a multiple of 16 as y.
template <class T>
void launch_add_rms_norm(T* y, T* sum, const T* x, const T* residual, const T* weight, void* scratch, int64_t rows,
                         int64_t n, double eps, cudaStream_t stream);

// The gradients of x and of weight, given that of y.
template <class T>
void launch_rms_norm_backward(T* grad_x, T* grad_weight, const T* grad, const T* x, const T* weight, void* scratch,
                              int64_t rows, int64_t n, double eps, cudaStream_t stream);

// The gradients of x, which is also that of residual, and of weight, given those of y and of sum.
template <class T>
void launch_add_rms_norm_backward(T* grad_x, T* grad_weight, const T* grad, const T* grad_sum, const T* sum,
                                  const T* weight, void* scratch, int64_t rows, int64_t n, double eps,
                                  cudaStream_t stream);
