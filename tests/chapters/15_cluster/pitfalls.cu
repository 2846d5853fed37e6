// pitfalls.cu: kernels with one mistake each. test_cluster.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include <cuda/ptx>

#include "common/cuda_check.h"

// Three kernels add up n floats by the four blocks of a cluster, and each block writes the sum.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CLUSTERS

__device__ float sum_of_block(const float* x, int n) {
    const int each = n / int(__clusterSizeInBlocks());
    float sum = 0;
    for (int i = int(threadIdx.x); i < each; i += 32) sum += x[int(__clusterRelativeBlockRank()) * each + i];
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    return sum;
}

template <class T>
__device__ T* in_block(int block, T* p) {
    return static_cast<T*>(__cluster_map_shared_rank(p, unsigned(block)));
}

__device__ void send(float* parts, uint64_t* barrier, float part) {
    const int lane = int(threadIdx.x), blocks = int(__clusterSizeInBlocks()), block = int(__clusterRelativeBlockRank());
    if (lane == 0)
        cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                             barrier, unsigned(blocks * sizeof part));
    if (lane < blocks) cuda::ptx::st_async(in_block(lane, parts + block), part, in_block(lane, barrier));
}

__device__ float receive(const float* parts, uint64_t* barrier, unsigned parity) {
    while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, barrier, parity)) {
    }
    float all = 0;
    for (int block = 0; block < int(__clusterSizeInBlocks()); block++) all += parts[block];
    return all;
}

__device__ void init(uint64_t* barrier) {
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(barrier, 1);
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
    }
}
#endif

// Every block reads the parts of its peers. A barrier at the end is missing, so a block may have returned by then.
__global__ void early_exit_kernel(float* sums, const float* x, int n) {
#ifdef CLUSTERS
    __shared__ float part;
    part = sum_of_block(x, n);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    float all = 0;
    for (int block = 0; block < int(__clusterSizeInBlocks()); block++) all += *in_block(block, &part);
    sums[blockIdx.x] = all;
#endif
}

// Blocks write to their peers. The cluster's barrier at the beginning is missing: a peer may have no mbarrier yet.
__global__ void no_start_kernel(float* sums, const float* x, int n) {
#ifdef CLUSTERS
    __shared__ uint64_t barrier;
    __shared__ float parts[4];
    init(&barrier);
    __syncwarp();
    send(parts, &barrier, sum_of_block(x, n));
    sums[blockIdx.x] = receive(parts, &barrier, 0);
#endif
}

// The same with that barrier, in two halves of x, by one mbarrier. The second phase has the parity 1. Who waits for
// parity 0 again goes on at once while phase 1 lasts, and its parts may not be here. When phase 1 is over, the wait is
// for phase 2, which never ends.
__global__ void one_parity_kernel(float* sums, const float* x, int n) {
#ifdef CLUSTERS
    __shared__ uint64_t barrier;
    __shared__ float parts[2][4];
    init(&barrier);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    float all = 0;
    for (int half = 0; half < 2; half++) {
        send(parts[half], &barrier, sum_of_block(x + half * n / 2, n / 2));
        all += receive(parts[half], &barrier, 0);
    }
    sums[blockIdx.x] = all;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#endif
}

static void launch(void (*kernel)(float*, const float*, int), float* sums, const float* x, int n, cudaStream_t stream) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4, config.blockDim = 32, config.stream = stream, config.attrs = &attribute, config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, sums, x, n));
}

void early_exit(float* sums, const float* x, int n, cudaStream_t stream) {
    launch(early_exit_kernel, sums, x, n, stream);
}
void no_start(float* sums, const float* x, int n, cudaStream_t stream) { launch(no_start_kernel, sums, x, n, stream); }
void one_parity(float* sums, const float* x, int n, cudaStream_t stream) {
    launch(one_parity_kernel, sums, x, n, stream);
}
