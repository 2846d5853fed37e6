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
void launch_bias_dropout(float* out, const float* x, const float* bias, int64_t rows, int64_t columns, float p,
                         int64_t seed, cudaStream_t stream) {}

void launch_bias_dropout_backward(float* grad_x, float* grad_bias, const float* grad, int64_t rows, int64_t columns,
                                  float p, int64_t seed, cudaStream_t stream) {}
// end of your code
