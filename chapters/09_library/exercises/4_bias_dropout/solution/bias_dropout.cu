// bias_dropout.cu: a bias and dropout in one pass, and the gradients.
#include "bias_dropout.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// A number from 0 up to 1, without 1. The same seed and i give the same number each time; any other numbers, one that
// seems to have nothing to do with it (splitmix64 by S. Vigna).
__device__ float uniform(int64_t seed, int64_t i) {
    uint64_t z = uint64_t(seed) + uint64_t(i + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return float(z >> 40) * (1.0f / (1 << 24));
}

// your code
__global__ void bias_dropout_kernel(float* out, const float* x, const float* bias, int64_t n, int64_t columns, float p,
                                    int64_t seed) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = uniform(seed, i) < p ? 0 : (x[i] + bias[i % columns]) / (1 - p);
}

void launch_bias_dropout(float* out, const float* x, const float* bias, int64_t rows, int64_t columns, float p,
                         int64_t seed, cudaStream_t stream) {
    const int64_t n = rows * columns;
    if (n == 0) return;
    bias_dropout_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(out, x, bias, n, columns, p, seed);
    CHECK_LAUNCH();
}

// A thread has one column: it goes down the rows and adds up.
__global__ void bias_dropout_backward_kernel(float* grad_x, float* grad_bias, const float* grad, int64_t rows,
                                             int64_t columns, float p, int64_t seed) {
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0;
    for (int64_t i = column; i < rows * columns; i += columns) {
        grad_x[i] = uniform(seed, i) < p ? 0 : grad[i] / (1 - p);
        sum += grad_x[i];
    }
    grad_bias[column] = sum;
}

void launch_bias_dropout_backward(float* grad_x, float* grad_bias, const float* grad, int64_t rows, int64_t columns,
                                  float p, int64_t seed, cudaStream_t stream) {
    if (columns == 0) return;
    bias_dropout_backward_kernel<<<blocks_for(columns, 256), 256, 0, stream>>>(grad_x, grad_bias, grad, rows, columns,
                                                                               p, seed);
    CHECK_LAUNCH();
}
// end of your code
