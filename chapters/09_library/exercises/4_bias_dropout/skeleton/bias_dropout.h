// bias_dropout.h: what bias_dropout.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All of them: in the order of `stream`. x, out, grad and grad_x have `rows` rows of `columns` elements, one after
// another; element i of such an array is dropped if uniform(seed, i) < p. 0 <= p < 1.

// out[i] = 0 if element i is dropped, else (x[i] + bias[its column]) / (1 - p)
void launch_bias_dropout(float* out, const float* x, const float* bias, int64_t rows, int64_t columns, float p,
                         int64_t seed, cudaStream_t stream);

// grad_x[i] = 0 if element i is dropped, else grad[i] / (1 - p); grad_bias[column] = the sum of grad_x in that column.
// Without rows, grad_bias is 0.
void launch_bias_dropout_backward(float* grad_x, float* grad_bias, const float* grad, int64_t rows, int64_t columns,
                                  float p, int64_t seed, cudaStream_t stream);
