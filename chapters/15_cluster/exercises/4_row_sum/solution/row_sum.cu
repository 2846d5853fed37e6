// row_sum.cu: the sum of each long row, by a cluster of eight blocks.
#include "row_sum.h"

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr unsigned BLOCKS = 8;
constexpr int THREADS = 128;

// A cluster has row number blockIdx.x / BLOCKS.
__global__ void row_sum_kernel(float* sums, const float* x, int64_t n) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    // your code
    __shared__ float of_warps[THREADS / 32];
    const unsigned block = __clusterRelativeBlockRank();
    const int64_t row = blockIdx.x / BLOCKS;
    float sum = 0;
    for (int64_t i = block * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS) sum += x[row * n + i];
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (block == 0 && threadIdx.x == 0) {
        float all = 0;
        for (unsigned other = 0; other < BLOCKS; other++) {
            const float* const parts = static_cast<float*>(__cluster_map_shared_rank(of_warps, other));
            for (int warp = 0; warp < THREADS / 32; warp++) all += parts[warp];
        }
        sums[row] = all;
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    // end of your code
#endif
}

void launch_row_sum(float* sums, const float* x, int64_t rows, int64_t n, cudaStream_t stream) {
    if (rows == 0) return;
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = BLOCKS, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks_for(rows * BLOCKS, 1), config.blockDim = THREADS, config.stream = stream;
    config.attrs = &cluster, config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, row_sum_kernel, sums, x, n));
}
