// softmax.h: what softmax.cu offers, for T = float, double, __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// The rungs of the ladder: which threads share a row, and where they keep it. `automatic` chooses by the
// row's length, its alignment and the number of rows. Every other step throws std::runtime_error if the row does not
// fit.
enum class Step {
    automatic,
    three_passes,  // softmax only: a block, which reads the row three times
    strip,         // a thread; a block loads many short rows at once into its shared memory
    warp,          // 1 to 32 lanes of a warp, which keep the row in their registers
    block,         // a block; the row stays in its threads' registers
    twice,         // a block, which reads a row of any length twice
    split,         // several blocks, which read it twice, by two launches
};

// How many blocks share a row in step split, if there are `rows` rows of that many bytes. 0 if another step is taken.
unsigned blocks_of_a_row(int64_t rows, int64_t bytes, Step step);

// All arrays have `rows` rows of n elements, row after row, in memory of the current device. parts: memory for
// 2 * rows * blocks_of_a_row() numbers, which are double if T is double, else float; so is all arithmetic. Work is done
// in the order of `stream`. They throw std::runtime_error when a launch fails.

// out[r][c] = exp(x[r][c]) / the sum of exp(x[r][i]) over all i
template <class T>
void launch_softmax(T* out, const T* x, void* parts, int64_t rows, int64_t n, Step step, cudaStream_t stream);

// grad_x[r][c] = y[r][c] * (grad[r][c] - the sum of grad[r][i] * y[r][i] over all i), where y is what softmax returned
template <class T>
void launch_softmax_backward(T* grad_x, const T* grad, const T* y, void* parts, int64_t rows, int64_t n, Step step,
                             cudaStream_t stream);
