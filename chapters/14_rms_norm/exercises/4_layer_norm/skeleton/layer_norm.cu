// layer_norm.cu: each row gets the mean 0 and the variance 1, times a weight for each column; a block for each row.
#include "layer_norm.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int threads = 64, elements = 8;  // that a thread keeps in its registers

__device__ float warp_sum(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

// The block's sum: all threads get it.
__device__ float block_sum(float value) {
    __shared__ float parts[threads / 32];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    float all = 0;
    for (const float part : parts) all += part;
    __syncthreads();  // all have read the parts: the next call may write
    return all;
}

__global__ void layer_norm_kernel(float* out, const float* x, const float* weight, int n, float eps) {
    const int t = int(threadIdx.x);
    out += int64_t(blockIdx.x) * n, x += int64_t(blockIdx.x) * n;
    float values[elements], sum = 0, squares = 0;
    for (int k = 0; k < elements; k++) values[k] = t + k * threads < n ? x[t + k * threads] : 0;
    for (const float value : values) sum += value;
    const float mean = block_sum(sum) / n;
    for (int k = 0; k < elements; k++)
        if (t + k * threads < n) squares += (values[k] - mean) * (values[k] - mean);
    const float scale = rsqrtf(block_sum(squares) / n + eps);
    for (int k = 0; k < elements; k++)
        if (t + k * threads < n) out[t + k * threads] = (values[k] - mean) * scale * weight[t + k * threads];
}

void launch_layer_norm(float* out, const float* x, const float* weight, int64_t rows, int n, float eps,
                       cudaStream_t stream) {
    if (rows == 0 || n == 0) return;
    layer_norm_kernel<<<blocks_for(rows, 1), threads, 0, stream>>>(out, x, weight, n, eps);
    CHECK_LAUNCH();
}
