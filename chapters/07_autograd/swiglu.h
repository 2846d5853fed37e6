// swiglu.h: what swiglu.cu offers, for T = float, double, __half and __nv_bfloat16. The templates are only declared
// here, and swiglu.cu instantiates them for these types: a call with another type compiles and does not link. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All of them: 0 <= i < n, in the order of `stream`. The pointers are to memory of the current device; an output may be
// an input. They throw std::runtime_error when the launch fails.

// c[i] = a[i] + b[i]
template <class T>
void launch_add_forward(T* c, const T* a, const T* b, int64_t n, cudaStream_t stream);

// out[i] = silu(a[i]) * b[i], where silu(x) = x * sigmoid(x) = x / (1 + exp(-x))
template <class T>
void launch_swiglu_forward(T* out, const T* a, const T* b, int64_t n, cudaStream_t stream);

// The gradients of a loss L, given grad[i] = dL/dout[i]:
//     grad_a[i] = dL/da[i] = grad[i] * b[i] * s * (1 + a[i] * (1 - s)), where s = sigmoid(a[i])
//     grad_b[i] = dL/db[i] = grad[i] * a[i] * s
// A gradient that is nullptr is not wanted. b is read for grad_a alone, and may be nullptr without it.
template <class T>
void launch_swiglu_backward(T* grad_a, T* grad_b, const T* grad, const T* a, const T* b, int64_t n,
                            cudaStream_t stream);
