// quick_glu.cu: a gate, sigmoid(1.702 * a), on a product; and its gradients.
#include "quick_glu.h"

#include <cmath>

#include "common/cuda_check.h"
#include "common/grid.h"

__device__ float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

__global__ void forward_kernel(float* out, const float* a, const float* b, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * sigmoid(1.702f * a[i]) * b[i];
}

void launch_forward(float* out, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    forward_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(out, a, b, n);
    CHECK_LAUNCH();
}

__global__ void backward_kernel(float* grad_a, float* grad_b, const float* grad, const float* a, const float* b,
                                int64_t n) {
    // your code
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = sigmoid(1.702f * a[i]);
    if (grad_a) grad_a[i] = grad[i] * b[i] * (s + 1.702f * a[i] * s * (1 - s));
    if (grad_b) grad_b[i] = grad[i] * a[i] * s;
    // end of your code
}

void launch_backward(float* grad_a, float* grad_b, const float* grad, const float* a, const float* b, int64_t n,
                     cudaStream_t stream) {
    if (n == 0) return;
    backward_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(grad_a, grad_b, grad, a, b, n);
    CHECK_LAUNCH();
}
