// pitfalls.cu: kernels with one mistake each. test_wgmma.py finds them. No chapter uses this file.
#include "pitfalls.h"

#include "chapters/18_wgmma/operand.h"

using bf16 = __nv_bfloat16;

enum Mistake {
    NONE,
    ONE_PARITY,         // every wait is for parity 0
    READS_TOO_EARLY,    // the sums are stored before wgmma_wait
    NO_FENCE,           // the sums were set to 0, and wgmma_fence is missing
    BEGINS_ANYWHERE,    // a box begins 4 numbers further: in the middle of 16 bytes
    TOO_FEW_BYTES,      // the barrier is told of one box, and two come
    LEAVES_EARLY,       // a block ends while the other one copies into its memory
    RANK_IN_DESCRIPTOR  // all bits of an address go into the descriptor, also those that hold the block's rank
};

#ifdef HAS_WGMMA
template <int sums>
__device__ void store(float* out, const float (&d)[sums]) {
    const int t = int(threadIdx.x);
    for (int i = 0; i < sums; i++)
        out[(t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8) * 2 * sums + t % 4 * 2 + i / 4 * 8 + i % 2] = d[i];
}
#endif

template <Mistake mistake>
__global__ void __launch_bounds__(128)
    kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, float* out) {
#ifdef HAS_WGMMA
    __shared__ __align__(1024) char a[BOX_BYTES], b[BOX_BYTES];
    __shared__ uint64_t barrier;
    const uint32_t full = address_of(&barrier);
    if (threadIdx.x == 0) mbarrier_init(full, 1), fence_mbarrier_init();
    __syncthreads();
    float sums[32] = {};
    for (int step = 0; step < 2; step++) {
        if (threadIdx.x == 0) {
            const int k = step * BOX + (mistake == BEGINS_ANYWHERE ? 4 : 0);
            mbarrier_arrive_expect(full, (mistake == TOO_FEW_BYTES ? 1 : 2) * BOX_BYTES);
            load_box<true>(address_of(a), &a_map, 0, k, 0, full);
            load_box<true>(address_of(b), &b_map, 0, k, 0, full);
        }
        wait_for_phase(full, mistake == ONE_PARITY ? 0 : step % 2);
        if (mistake != NO_FENCE) wgmma_fence();
        multiply_64<bf16, true, true>(sums, address_of(a), address_of(b));
        wgmma_commit();
        if (mistake == READS_TOO_EARLY && step == 1) store(out, sums);
        wgmma_wait<0>();
        __syncthreads();
    }
    if (mistake != READS_TOO_EARLY) store(out, sums);
#endif
}

// b is stored by rows here: only then does wgmma read the field of the descriptor into which the rank falls.
template <Mistake mistake>
__global__ void __launch_bounds__(128)
    pair_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, float* out) {
#ifdef HAS_WGMMA
    __shared__ __align__(1024) char a[BOX_BYTES], b[2 * BOX_BYTES];
    __shared__ uint64_t barriers[2];
    const int rank = int(blockIdx.x);
    if (threadIdx.x == 0) {
        for (uint64_t& barrier : barriers) mbarrier_init(address_of(&barrier), 1);
        fence_mbarrier_init();
    }
    cluster_sync();
    float sums[64] = {};
    for (int step = 0; step < 2; step++) {
        const uint32_t full = address_of(&barriers[step]);
        if (threadIdx.x == 0) mbarrier_arrive_expect(full, 3 * BOX_BYTES);
        if (mistake == LEAVES_EARLY && rank == 1 && step == 1) return;
        if (threadIdx.x == 0 && rank == 0) {
            load_box<true, 2>(address_of(a), &a_map, 0, step * BOX, 0, full);
            load_box<false, 2>(address_of(b), &b_map, 0, step * BOX, 0, full);
            load_box<false, 2>(address_of(b) + BOX_BYTES, &b_map, BOX, step * BOX, 0, full);
        }
        wait_for_phase(full, 0);
        wgmma_fence();
        for (int i = 0; i < BOX / 16; i++) {
            const uint64_t a_tile = wgmma_descriptor(address_of(a) + 32 * i, BOX_BYTES);
            const uint32_t b_at = address_of(b) + 16 * 128 * i;
            const uint64_t unmasked = wgmma_descriptor(0, BOX_BYTES) + (b_at >> 4);
            wgmma<bf16, false, true>(sums, a_tile,
                                     mistake == RANK_IN_DESCRIPTOR ? unmasked : wgmma_descriptor(b_at, BOX_BYTES));
        }
        wgmma_commit();
        wgmma_wait<0>();
        cluster_sync();
    }
    store(out + rank * 64 * 128, sums);
#endif
}

static Stored<bf16> by_rows(const bf16* x, int rows, int columns) { return {x, rows, columns, columns, 1, 0, true}; }

template <Mistake mistake>
static void launch(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    kernel<mistake><<<1, 128, 0, stream>>>(tensor_map(by_rows(a, 64, 128)), tensor_map(by_rows(b, 64, 128)), out);
    CHECK_LAUNCH();
}
template <Mistake mistake>
static void launch_pair(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 2, config.blockDim = 128, config.stream = stream, config.attrs = &cluster, config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, pair_kernel<mistake>, tensor_map(by_rows(a, 64, 128)),
                                  tensor_map(by_rows(b, 128, 128)), out));
}

void right(float* out, const bf16* a, const bf16* b, cudaStream_t stream) { launch<NONE>(out, a, b, stream); }
void one_parity(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    launch<ONE_PARITY>(out, a, b, stream);
}
void reads_too_early(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    launch<READS_TOO_EARLY>(out, a, b, stream);
}
void no_fence(float* out, const bf16* a, const bf16* b, cudaStream_t stream) { launch<NO_FENCE>(out, a, b, stream); }
void begins_anywhere(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    launch<BEGINS_ANYWHERE>(out, a, b, stream);
}
void too_few_bytes(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    launch<TOO_FEW_BYTES>(out, a, b, stream);
}
void pair(float* out, const bf16* a, const bf16* b, cudaStream_t stream) { launch_pair<NONE>(out, a, b, stream); }
void leaves_early(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    launch_pair<LEAVES_EARLY>(out, a, b, stream);
}
void rank_in_descriptor(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    launch_pair<RANK_IN_DESCRIPTOR>(out, a, b, stream);
}

// Rows of 127 numbers: the driver refuses the map, and nobody asks for its answer.
void map_refused(float* out, const bf16* a, const bf16* b, cudaStream_t stream) {
    CUtensorMap map = {};
    try {
        map = tensor_map(Stored<bf16>{a, 64, 127, 127, 1, 0, true});
    } catch (const std::runtime_error&) {
    }
    kernel<NONE><<<1, 128, 0, stream>>>(map, tensor_map(by_rows(b, 64, 128)), out);
    CHECK_LAUNCH();
}
