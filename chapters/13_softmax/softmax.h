// softmax.h: what softmax.cu and rms_norm.cu offer, for T = float, __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// The rungs of the ladder: which threads share a row, and where they keep it. `automatic` takes the fastest for the
// row's length and the GPU (choose() in rows.h). Throws std::invalid_argument where a row is too long for that step.
enum class Step {
    automatic,
    three_passes,  // softmax only: a block, which reads the row three times
    shared,        // softmax only: a block, which keeps it in its shared memory
    online,        // a block, which reads the row twice: of any length, on any GPU
    warp,          // up to 32 lanes of a warp, which keep it in their registers
    block,         // a block, the same
    cluster,       // up to 16 blocks of a cluster, the same: needs compute capability 9.0
};

// All of them: x, out, grad and grad_x have `rows` rows of n elements, row after row, and weight and grad_weight have n
// elements. The pointers are to memory of the current device. Arithmetic is in float. Work is done in the order of
// `stream`. They throw std::runtime_error when a launch fails.

// out[r][c] = exp(x[r][c]) / the sum of exp(x[r][i]) over all i
template <class T>
void launch_softmax(T* out, const T* x, int64_t rows, int64_t n, Step step, cudaStream_t stream);

// grad_x[r][c] = y[r][c] * (grad[r][c] - the sum of grad[r][i] * y[r][i] over all i), where y is what softmax returned
template <class T>
void launch_softmax_backward(T* grad_x, const T* grad, const T* y, int64_t rows, int64_t n, Step step,
                             cudaStream_t stream);

// out[r][c] = x[r][c] * s * weight[c], where s = 1 / sqrt(eps + the mean of x[r][i]^2 over all i)
template <class T>
void launch_rms_norm(T* out, const T* x, const T* weight, int64_t rows, int64_t n, float eps, Step step,
                     cudaStream_t stream);

// With s as above, and m the mean of grad[r][i] * weight[i] * x[r][i] over all i:
//     grad_x[r][c] = s * (grad[r][c] * weight[c] - x[r][c] * s^2 * m)
//     grad_weight[c] = the sum of grad[r][c] * x[r][c] * s over all r, in an order that depends on the GPU and the sizes
// partial: memory for partial_rows<T>(rows, n, step) rows of n floats.
template <class T>
void launch_rms_norm_backward(T* grad_x, T* grad_weight, float* partial, const T* grad, const T* x, const T* weight,
                              int64_t rows, int64_t n, float eps, Step step, cudaStream_t stream);

template <class T>
int64_t partial_rows(int64_t rows, int64_t n, Step step);
