// Wrong exchanges between the two blocks of a cluster: each with the message of CUDA on CPU. "race" runs those that
// only the memory check finds, "hang" what never ends. The test knows the lines that are marked.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda/ptx>
#include <stdexcept>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr unsigned threads = 64;

// A barrier of each block, and the values that the other one sends it.
struct Exchange {
    uint64_t* mine;
    int* slots;
    unsigned rank;

    __device__ Exchange(uint64_t* bar, int* slots, bool starts_together)
        : mine(bar), slots(slots), rank(cg::this_cluster().block_rank()) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_init(bar, 1);
            ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        }
        if (starts_together) cg::this_cluster().sync();
    }
    template <class T>
    __device__ T* theirs(T* p) const {
        return cg::this_cluster().map_shared_rank(p, 1 - rank);
    }
    __device__ void expect(unsigned bytes) const {
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, mine, bytes);
    }
};
#define EXCHANGE(starts_together)     \
    __shared__ uint64_t bar;          \
    __shared__ alignas(16) int s[64]; \
    [[maybe_unused]] const Exchange e(&bar, s, starts_together)
#define KERNEL(name) __global__ void name([[maybe_unused]] int* out)
#define I threadIdx.x
#define WAIT(parity) ptx::mbarrier_try_wait_parity(&bar, parity)

// ---- refused ----

KERNEL(returns) {  // one block does not wait for what the other one sends
    EXCHANGE(true);
    if (e.rank == 1) return;
    if (I < 2) ptx::st_async(e.theirs(&s[I]), int(I), e.theirs(&bar));  // LINE returns
}
KERNEL(too_few_bytes) {  // the phase ends with the first of two
    EXCHANGE(true);
    e.expect(4);
    if (I < 2) ptx::st_async(e.theirs(&s[I]), int(I), e.theirs(&bar));  // LINE too_few_bytes
    while (!WAIT(0)) {
    }
    out[I + 64 * e.rank] = s[I];
}
KERNEL(no_init) {  // yet, where the other block has not started; its memory has barriers of an earlier launch
    extern __shared__ uint64_t bars[];
    __shared__ int s[64];
    const Exchange e(bars, s, false);
    ptx::st_async(e.theirs(&s[I]), int(I), e.theirs(bars));  // LINE no_init
}
KERNEL(two_blocks) {
    EXCHANGE(true);
    ptx::st_async(e.theirs(&s[I]), int(I), &bar);  // LINE two_blocks
}
KERNEL(not_shared) {
    EXCHANGE(true);
    ptx::st_async(out, int(I), &bar);  // LINE not_shared
}
KERNEL(misaligned) {
    EXCHANGE(true);
    const int values[2] = {1, 2};
    ptx::st_async(e.theirs(&s[1]), values, e.theirs(&bar));  // LINE misaligned
}
KERNEL(waits_there) {
    EXCHANGE(true);
    ptx::mbarrier_try_wait_parity(e.theirs(&bar), 0);  // LINE waits_there
}

KERNEL(phase_for_parity) {  // phase 2 has parity 0
    EXCHANGE(true);
    WAIT(2);  // LINE phase_for_parity
}

KERNEL(no_cluster) {  // the block sends itself a value
    EXCHANGE(false);
    ptx::st_async(&s[I], int(I), &bar);  // LINE no_cluster
}

// ---- never ends ----

KERNEL(too_many_bytes) {
    EXCHANGE(true);
    e.expect(12);
    if (I < 2) ptx::st_async(e.theirs(&s[I]), int(I), e.theirs(&bar));
    while (!WAIT(0)) {  // LINE too_many_bytes
    }
}

// ---- races ----

KERNEL(no_wait) {
    EXCHANGE(true);
    e.expect(64 * 4);
    ptx::st_async(e.theirs(&s[I]), int(I), e.theirs(&bar));  // OTHER no_wait
    out[I + 64 * e.rank] = s[63 - I];                        // LINE no_wait
    while (!WAIT(0)) {
    }
}
KERNEL(one_waits) {  // and the others do not wait for it
    EXCHANGE(true);
    e.expect(64 * 4);
    ptx::st_async(e.theirs(&s[I]), int(I), e.theirs(&bar));  // OTHER one_waits
    while (I == 0 && !WAIT(0)) {
    }
    out[I + 64 * e.rank] = s[63 - I];  // LINE one_waits
}
KERNEL(overwrites) {  // what the other block may still read
    EXCHANGE(true);
    for (int round = 0; round < 2; round++) {
        e.expect(64 * 4);
        ptx::st_async(e.theirs(&s[I]), int(I), e.theirs(&bar));  // LINE overwrites
        while (!WAIT(round)) {
        }
        out[I + 64 * e.rank] = s[63 - I];
        __syncthreads();
    }
}
KERNEL(right) {  // two slots
    extern __shared__ uint64_t bars[];
    __shared__ int slots[2][64];
    const Exchange even(&bars[0], slots[0], false), odd(&bars[1], slots[1], true);
    for (int round = 0; round < 5; round++) {
        const Exchange& e = round % 2 ? odd : even;
        e.expect(64 * 4);
        ptx::st_async(e.theirs(&e.slots[I]), int(I), e.theirs(e.mine));
        while (!ptx::mbarrier_try_wait_parity(e.mine, round / 2 % 2)) {
        }
        out[I + 64 * e.rank] = e.slots[63 - I];
        __syncthreads();
    }
}

int main(int, char** argv) {
    int* out;
    cudaMallocManaged(&out, 2 * threads * sizeof(int));
    const auto run = [&](const char* group, const char* name, void (*kernel)(int*), unsigned attributes = 1) {
        if (std::strcmp(argv[1], group) != 0) return;
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {2, 1, 1};
        const cudaLaunchConfig_t config = {2, threads, 2 * sizeof(uint64_t), nullptr, &attribute, attributes};
        try {
            cudaLaunchKernelEx(&config, kernel, out);
            std::printf("%s: nothing\n", name);
        } catch (const std::runtime_error& error) {
            std::printf("%s: %s\n", name, error.what());
        }
    };
#define RUN(group, name) run(group, #name, name)
    RUN("refused", right), RUN("refused", returns), RUN("refused", too_few_bytes), RUN("refused", no_init),
        RUN("refused", two_blocks);
    RUN("refused", not_shared), RUN("refused", misaligned), RUN("refused", waits_there),
        RUN("refused", phase_for_parity);
    run("refused", "no_cluster", no_cluster, 0);
    RUN("hang", too_many_bytes);
    RUN("race", no_wait), RUN("race", one_waits), RUN("race", overwrites), RUN("race", right);
}
