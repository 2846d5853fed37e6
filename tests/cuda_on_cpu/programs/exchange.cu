// Blocks of a cluster send one another values by st.async, which counts its bytes at an mbarrier of the block that
// receives them: no barrier of the cluster is between two rounds. Needs compute capability 9.0.
#include "expect.h"
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr unsigned slots = 4, most_blocks = 8;

template <class T>
__device__ T* of_block(T* mine, unsigned rank) {
    return cg::this_cluster().map_shared_rank(mine, rank);
}

__device__ void wait(uint64_t* bar, unsigned round) {
    while (!ptx::mbarrier_try_wait_parity(bar, round / slots % 2)) {
    }
}

// Each round uses the next slot. A block that is fast sends up to three rounds ahead of one that is slow.
namespace sums {

__global__ void kernel(int* out, int rounds) {
    __shared__ uint64_t arrived[slots];
    __shared__ int parts[slots][most_blocks];
    const unsigned rank = cg::this_cluster().block_rank(), size = cg::this_cluster().num_blocks(), t = threadIdx.x;
    if (t == 0) {
        for (uint64_t& bar : arrived) ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cg::this_cluster().sync();  // nobody sends before the barriers are there
    int mine = 1 + blockIdx.x;
    for (int round = 0; round < rounds; round++) {
        const unsigned slot = round % slots;
        if (t == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived[slot],
                                           size * sizeof(int));
        if (t < size) ptx::st_async(of_block(&parts[slot][rank], t), mine, of_block(&arrived[slot], t));
        wait(&arrived[slot], round);
        int sum = 0;
        for (unsigned r = 0; r < size; r++) sum += parts[slot][r] * (r + 1);
        mine = (sum + rank) % 1000;
        __syncthreads();  // all threads have read before one of them sends what lets the others go on
        if (t + 1 == blockDim.x) out[round * gridDim.x + blockIdx.x] = mine;
    }
}

void test(unsigned size, unsigned threads) {
    const int blocks = 2 * size, rounds = 37;
    int* out = device_array<int>(size_t(rounds) * blocks);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks, config.blockDim = threads, config.attrs = &attribute, config.numAttrs = 1;
    EXPECT(cudaLaunchKernelEx(&config, kernel, out, rounds) == cudaSuccess);
    EXPECT_DONE();
    int mine[2 * most_blocks], wrong = 0;
    for (int b = 0; b < blocks; b++) mine[b] = 1 + b;
    for (int round = 0; round < rounds; round++) {
        int sums[2] = {};
        for (int b = 0; b < blocks; b++) sums[b / size] += mine[b] * int(b % size + 1);
        for (int b = 0; b < blocks; b++) {
            mine[b] = (sums[b / size] + int(b % size)) % 1000;
            wrong += out[round * blocks + b] != mine[b];
        }
    }
    EXPECT(wrong == 0);
}

}  // namespace sums

int main() {
    for (unsigned size : {2u, 4u, 8u}) sums::test(size, 64);
    return report();
}
