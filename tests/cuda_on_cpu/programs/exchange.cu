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

template <class... P, class... A>
void launch(void (*kernel)(P...), unsigned blocks, unsigned threads, unsigned cluster, size_t shared, A... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks, config.blockDim = threads, config.dynamicSmemBytes = shared;
    config.attrs = &attribute, config.numAttrs = 1;
    EXPECT(cudaLaunchKernelEx(&config, kernel, arguments...) == cudaSuccess);
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
    launch(kernel, blocks, threads, size, 0, out, rounds);
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

// Every form, into dynamic shared memory. The block that receives arrives at a barrier of the one that sends: it has
// read, and the next round may store there.
namespace forms {

struct Box {
    alignas(16) int four[4];
    alignas(16) double two[2];
    float2 pair, floats;
    unsigned one;
    uint64_t full, empty;
};

__device__ float from(const Box& box) {
    return box.four[0] + 2 * box.four[3] + 3 * box.two[0] + 4 * box.two[1] + 5 * box.pair.x + 6 * box.pair.y +
           7 * box.floats.x + 8 * box.floats.y + 9 * box.one;
}

__global__ void kernel(float* out, int rounds) {
    extern __shared__ Box boxes[];
    Box& mine = boxes[1];
    const unsigned next = (cg::this_cluster().block_rank() + 1) % cg::this_cluster().num_blocks();
    const unsigned before = (next + cg::this_cluster().num_blocks() - 2) % cg::this_cluster().num_blocks();
    Box& theirs = *of_block(&mine, next);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&mine.full, 1), ptx::mbarrier_init(&mine.empty, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cg::this_cluster().sync();
    float sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == 0) {
            const float v = 1 + blockIdx.x + 10 * round;
            if (round > 0)
                while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &mine.empty,
                                                      (round - 1) & 1)) {
                }
            ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &mine.full, 32);
            const uint64_t state =
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &mine.full, 20);
            const int four[] = {int(v), 0, 0, int(v) + 1};
            const double two[] = {v + 2, v + 3};
            const float floats[] = {v + 6, v + 7};
            ptx::st_async(theirs.four, four, &theirs.full);
            ptx::st_async(theirs.two, two, &theirs.full);
            ptx::st_async(&theirs.pair, make_float2(v + 4, v + 5), &theirs.full);
            ptx::st_async(&theirs.floats.x, floats, &theirs.full);
            ptx::st_async(&theirs.one, unsigned(v) + 8, &theirs.full);
            while (!ptx::mbarrier_try_wait(&mine.full, state)) {
            }
        }
        while (!ptx::mbarrier_test_wait_parity(&mine.full, round & 1)) {
        }
        sum += from(mine);
        __syncthreads();
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                                 of_block(&mine.empty, before));
    }
    const bool is_theirs = ptx::getctarank(ptx::space_cluster, &theirs.one) == next;
    out[blockIdx.x * blockDim.x + threadIdx.x] = is_theirs ? sum : -1;
    cg::this_cluster().sync();  // nobody returns before the last has arrived
}

void test(unsigned size, unsigned threads) {
    const unsigned blocks = 3 * size;
    const int rounds = 5;
    float* out = device_array<float>(blocks * threads);
    launch(kernel, blocks, threads, size, 2 * sizeof(Box), out, rounds);
    EXPECT_DONE();
    for (unsigned i = 0; i < blocks * threads; i++) {
        const unsigned block = i / threads, from_block = block / size * size + (block + size - 1) % size;
        float sum = 0;
        for (int round = 0; round < rounds; round++) {
            const float v = 1 + from_block + 10 * round;
            sum += v + 2 * (v + 1) + 3 * (v + 2) + 4 * (v + 3) + 5 * (v + 4) + 6 * (v + 5) + 7 * (v + 6) + 8 * (v + 7) +
                   9 * (v + 8);
        }
        EXPECT(out[i] == sum);
    }
}

}  // namespace forms

int main() {
    for (unsigned size : {2u, 4u, 8u}) sums::test(size, 64), forms::test(size, 64);
    return report();
}
