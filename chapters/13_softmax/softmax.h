// softmax.h: what softmax.cu offers, for T = float, __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// The rungs of the ladder: which threads share a row, and where they keep it. `automatic` takes the fastest for the
// row's length and the GPU (choose() in launch.h). Throws std::runtime_error where a row is too long for that step, or
// is not whole packs of 16 bytes and the step is block or cluster.
enum class Step {
    automatic,
    three_passes,  // softmax only: a block, which reads the row three times
    shared,        // softmax only: a block, which keeps it in its shared memory
    online,        // a block, which reads the row twice: of any length, on any GPU
    warp,          // up to 32 lanes of a warp, which keep it in their registers
    block,         // a block, the same
    cluster,       // up to 16 blocks of a cluster, the same: needs compute capability 9.0
};

// All arrays have `rows` rows of n elements, row after row, in memory of the current device. Arithmetic is in float.
// Work is done in the order of `stream`. They throw std::runtime_error when a launch fails.

// out[r][c] = exp(x[r][c]) / the sum of exp(x[r][i]) over all i
template <class T>
void launch_softmax(T* out, const T* x, int64_t rows, int64_t n, Step step, cudaStream_t stream);

// grad_x[r][c] = y[r][c] * (grad[r][c] - the sum of grad[r][i] * y[r][i] over all i), where y is what softmax returned
template <class T>
void launch_softmax_backward(T* grad_x, const T* grad, const T* y, int64_t rows, int64_t n, Step step,
                             cudaStream_t stream);
