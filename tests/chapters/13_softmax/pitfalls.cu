// pitfalls.cu: kernels with one mistake each. test_softmax.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include <cmath>

#include "common/cuda_check.h"

__device__ float sum_of_warp(float value) {
    for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

// The sums of 4 rows. A second barrier is missing: a warp that is ahead writes its part of the next row while another
// still reads the parts of this one.
__global__ void one_barrier_kernel(float* sums, const float* x, int n) {
    __shared__ float parts[32];
    for (int row = 0; row < 4; row++) {
        float sum = 0;
        for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) sum += x[row * n + i];
        sum = sum_of_warp(sum);
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
        __syncthreads();
        float all = 0;
        for (int warp = 0; warp < int(blockDim.x) / 32; warp++) all += parts[warp];
        if (threadIdx.x == 0) sums[row] = all;
    }
}

// A row in shared memory, right but for its launch.
__global__ void copy_kernel(float* out, const float* x, int n) {
    extern __shared__ float row[];
    for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) row[i] = x[i];
    for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) out[i] = row[i];
}

// The sum of the row by the blocks of a cluster, n / blocks elements each. Every block reads the parts of its peers; a
// barrier at the end is missing, so a block may have returned by then.
__global__ void early_exit_kernel(float* sums, const float* x, int n) {
    __shared__ float part;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const int blocks = int(__clusterSizeInBlocks()), each = n / blocks;
    float sum = 0;
    for (int i = int(threadIdx.x); i < each; i += 32) sum += x[int(__clusterRelativeBlockRank()) * each + i];
    part = sum_of_warp(sum);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    float all = 0;
    for (int block = 0; block < blocks; block++)
        all += *static_cast<float*>(__cluster_map_shared_rank(&part, unsigned(block)));
    sums[blockIdx.x] = all;
#endif
}

// The softmax of a row by a warp. without_max: exp(x) itself. from_infinity: a lane's maximum begins at -infinity, and
// its sum is brought from there to the row's maximum.
template <bool without_max>
__global__ void softmax_kernel(float* out, const float* x, int n) {
    float max = without_max ? 0 : -INFINITY, sum = 0;
    for (int i = int(threadIdx.x); !without_max && i < n; i += 32) max = fmaxf(max, x[i]);
    for (int i = int(threadIdx.x); i < n; i += 32) sum += expf(x[i] - max);
    float largest = max;
    for (int apart = 16; apart > 0; apart /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, apart));
    sum = sum_of_warp(sum * expf(max - largest));
    for (int i = int(threadIdx.x); i < n; i += 32) out[i] = expf(x[i] - largest) / sum;
}

void one_barrier(float* out, const float* x, int n, cudaStream_t stream) {
    one_barrier_kernel<<<1, 256, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

void no_attribute(float* out, const float* x, int n, cudaStream_t stream) {
    copy_kernel<<<1, 256, n * sizeof(float), stream>>>(out, x, n);
    CHECK_LAUNCH();
}

void early_exit(float* out, const float* x, int n, cudaStream_t stream) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4, config.blockDim = 32, config.stream = stream, config.attrs = &attribute, config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, early_exit_kernel, out, x, n));
}

void without_max(float* out, const float* x, int n, cudaStream_t stream) {
    softmax_kernel<true><<<1, 32, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

void from_infinity(float* out, const float* x, int n, cudaStream_t stream) {
    softmax_kernel<false><<<1, 32, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}
