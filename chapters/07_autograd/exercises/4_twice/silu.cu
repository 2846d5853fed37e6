// silu.cu: silu and its gradient.
#include "silu.h"

#include <cmath>

#include "common/cuda_check.h"
#include "common/grid.h"

__device__ double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

__global__ void forward_kernel(double* out, const double* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * sigmoid(x[i]);
}

void launch_silu_forward(double* out, const double* x, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    forward_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

__global__ void backward_kernel(double* grad_x, const double* grad, const double* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double s = sigmoid(x[i]);
    grad_x[i] = grad[i] * s * (1 + x[i] * (1 - s));
}

void launch_silu_backward(double* grad_x, const double* grad, const double* x, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    backward_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(grad_x, grad, x, n);
    CHECK_LAUNCH();
}
