// swiglu.h: the launchers of swiglu.cu, for T = float, double, __half and __nv_bfloat16. This header only declares the
// templates, and swiglu.cu instantiates them for these types. A call with another type compiles but does not link.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// For all launchers: 0 <= i < n, and the work is queued on `stream`. Pointers point to memory of the current device. An
// output may be an input. A launcher throws std::runtime_error if its launch fails.

// out[i] = silu(a[i]) * b[i], where silu(x) = x * sigmoid(x) = x / (1 + exp(-x))
template <class T>
void launch_swiglu_forward(T* out, const T* a, const T* b, int64_t n, cudaStream_t stream);

// The gradients of a loss L, given grad[i] = dL/dout[i]:
//     grad_a[i] = dL/da[i] = grad[i] * b[i] * s * (1 + a[i] * (1 - s)), where s = sigmoid(a[i])
//     grad_b[i] = dL/db[i] = grad[i] * a[i] * s
// A gradient whose pointer is nullptr is not computed. Only grad_a needs b: without grad_a, b may be nullptr.
template <class T>
void launch_swiglu_backward(T* grad_a, T* grad_b, const T* grad, const T* a, const T* b, int64_t n,
                            cudaStream_t stream);

// c[i] = a[i] + b[i], from the blog notes
template <class T>
void launch_add_forward(T* c, const T* a, const T* b, int64_t n, cudaStream_t stream);
