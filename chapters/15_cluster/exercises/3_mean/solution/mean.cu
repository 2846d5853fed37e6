// mean.cu: the mean of each row, by clusters of four blocks that go from row to row. A block has one warp.
#include "mean.h"

#include <algorithm>
#include <cuda/ptx>

#include "common/cuda_check.h"

constexpr unsigned BLOCKS = 4;
constexpr int64_t CLUSTERS = 2;  // that run, however many rows there are

__global__ void mean_kernel(float* out, const float* x, int64_t rows, int64_t n) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    __shared__ uint64_t barriers[2];
    __shared__ float parts[2][BLOCKS];
    const unsigned block = __clusterRelativeBlockRank(), lane = threadIdx.x;
    if (lane == 0) {
        for (uint64_t& barrier : barriers) cuda::ptx::mbarrier_init(&barrier, 1);
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    int count = 0;
    for (int64_t row = blockIdx.x / BLOCKS; row < rows; row += gridDim.x / BLOCKS) {
        float sum = 0;
        for (int64_t i = block * 32 + lane; i < n; i += BLOCKS * 32) sum += x[row * n + i];
        for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
        // your code
        const int slot = count % 2, parity = count / 2 % 2;
        // end of your code
        count++;
        if (lane == 0)
            cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                                 &barriers[slot], BLOCKS * unsigned(sizeof sum));
        if (lane < BLOCKS) {
            float* const to = static_cast<float*>(__cluster_map_shared_rank(&parts[slot][block], lane));
            uint64_t* const barrier = static_cast<uint64_t*>(__cluster_map_shared_rank(&barriers[slot], lane));
            cuda::ptx::st_async(to, sum, barrier);
        }
        while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, &barriers[slot],
                                                    unsigned(parity))) {
        }
        float all = 0;
        for (const float part : parts[slot]) all += part;
        __syncwarp();  // all lanes have read, before one sends the next row's part
        if (block == 0 && lane == 0) out[row] = all / float(n);
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#endif
}

void launch_mean(float* out, const float* x, int64_t rows, int64_t n, cudaStream_t stream) {
    if (rows == 0) return;
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = BLOCKS, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = unsigned(std::min(rows, CLUSTERS)) * BLOCKS, config.blockDim = 32, config.stream = stream;
    config.attrs = &cluster, config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, mean_kernel, out, x, rows, n));
}
