// bias_gelu.h: the launchers of bias_gelu.cu, for T = float, double, __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

// The type in which a kernel computes. Half precision saves memory: a kernel converts each element to float when it
// reads it, and rounds each result once, when it writes it.
template <class T>
using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;

// For all launchers: x, out, grad and grad_x have `rows` rows of `columns` elements, row after row. bias and grad_bias
// have `columns` elements. Pointers point to memory of the current device. The work is queued on `stream`. If tanh is
// true, GELU is approximated by tanh. A launcher throws std::runtime_error if a launch fails.

// out[r][c] = gelu(x[r][c] + bias[c]). out may be x.
template <class T>
void launch_bias_gelu(T* out, const T* x, const T* bias, int64_t rows, int64_t columns, bool tanh, cudaStream_t stream);

// The gradients of a loss L, given grad[r][c] = dL/dout[r][c]:
//     grad_x[r][c] = dL/dx[r][c] = grad[r][c] * gelu'(x[r][c] + bias[c])
//     grad_bias[c] = dL/dbias[c] = the sum of grad_x[r][c] over all r. The order of the additions depends only on the
//     GPU, the sizes, and whether all pointers are multiples of 16.
// partial: memory for partial_rows<T>(rows, columns) rows of `columns` numbers.
template <class T>
void launch_bias_gelu_backward(T* grad_x, T* grad_bias, Number<T>* partial, const T* grad, const T* x, const T* bias,
                               int64_t rows, int64_t columns, bool tanh, cudaStream_t stream);

// How many rows of sums launch_bias_gelu_backward writes before it adds them up. 0: a single block adds up all rows.
template <class T>
int64_t partial_rows(int64_t rows, int64_t columns);
