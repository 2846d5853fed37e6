// wgmma.cu: out = f(a b + bias) in float16 and bfloat16 for Hopper: TMA brings tiles, wgmma multiplies them, and blocks
// stay to make one tile after another. No torch header in here.
#include "wgmma.h"

#include "common/device_attribute.h"
#include "common/shared_memory.h"
#include "copy_rows.h"
#include "gelu.h"
#include "ladder.h"
#include "operand.h"
#include "plan.h"
#include "results.h"
#include "work.h"

// A block has one warp that copies, and GROUPS groups of 4 warps that multiply. Between them lies a ring of STAGES
// buffers, each for a step of 64 numbers of k: its barrier in `full` says what has come, the one in `empty` what was
// read. The blocks of a cluster make tiles below each other if CLUSTER > 1: each copies a part of b's tile for both.
// Otherwise they make one tile: each takes `each` steps of k. GELU: out = f(a b + bias), not a b. (As a choice within
// one kernel, its instructions would be fetched by products that do not need them: 1 us on an H100.)
template <class T, int GROUPS, int COLUMNS, int STAGES, int CLUSTER, bool a_along_k, bool b_along_k, bool GELU>
__global__ void __launch_bounds__(GROUPS * 128 + 32, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, Task<T> task) {
#ifdef HAS_WGMMA
    constexpr int ROWS = GROUPS * 64, A_BYTES = ROWS * 128, STAGE_BYTES = A_BYTES + COLUMNS * 128;
    extern __shared__ __align__(1024) char memory[];
    __shared__ __align__(16) T results[GROUPS * 4][8][COLUMNS + 8];  // of each warp; 8 more against bank conflicts
    __shared__ uint64_t barriers[2 * STAGES];
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
    const int group = __shfl_sync(~0u, warp / 4, 0);  // so nvcc knows that a warp has one group, and one address
    const int parts = CLUSTER == 1 && COLUMNS <= 128 ? task.parts : 1;
    const int blocks = CLUSTER * parts, rank = int(blockIdx.x) % blocks;
    const int begin = parts > 1 ? rank * task.each : 0, end = min(begin + task.each, task.steps);
    const auto full = [&](int stage) { return address_of(barriers) + 8 * stage; };
    const auto empty = [&](int stage) { return address_of(barriers) + 8 * (STAGES + stage); };
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) mbarrier_init(full(i), 1), mbarrier_init(empty(i), GROUPS * CLUSTER);
        fence_mbarrier_init();
    }
    blocks > 1 ? cluster_sync() : __syncthreads();

    // Both roles go through the same steps of the same tiles, with the same buffers.
    int stage = 0, phase = 0;
    const auto next = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };
    const auto place = [&](int tile) {
        Place p = place_of<ROWS * CLUSTER, COLUMNS, 16 / CLUSTER>(tile, task.down, task.across);
        if (CLUSTER > 1) p.row += rank * ROWS;
        return p;
    };
    const int team = int(blockIdx.x) / blocks, teams = int(gridDim.x) / blocks;
    if (group == GROUPS) {  // the warp that copies
        if (lane == 0) wait_for_kernels_before();
        for (int tile = team; tile < task.tiles && lane == 0; tile += teams) {
            const Place at = place(tile);
            for (int step = begin; step < end; step++, next()) {
                const uint32_t a = address_of(memory) + stage * STAGE_BYTES, b = a + A_BYTES;
                wait_for_phase(empty(stage), phase ^ 1);  // at first, all buffers are empty
                mbarrier_arrive_expect(full(stage), STAGE_BYTES);
                for (int i = 0; i < ROWS; i += BOX)
                    load_box<a_along_k>(a + i * 128, &a_map, at.row + i, step * BOX, task.a_batched * at.batch,
                                        full(stage));
                for (int i = CLUSTER > 1 ? rank * BOX : 0; i < COLUMNS; i += CLUSTER * BOX)
                    load_box<b_along_k, CLUSTER>(b + i * 128, &b_map, at.column + i, step * BOX,
                                                 task.b_batched * at.batch, full(stage));
            }
        }
        __syncwarp();
        if (parts > 1) cluster_sync();   // that of add_parts()
        if (blocks > 1) cluster_sync();  // see the end
        return;
    }
    const auto release_previous = [&] {  // a thread of the group tells each block of the cluster
        const int previous = (stage == 0 ? STAGES : stage) - 1, thread = int(threadIdx.x % 128);
        if (thread >= CLUSTER) return;
        CLUSTER > 1 ? mbarrier_arrive_cluster(in_block(empty(previous), thread)) : mbarrier_arrive(empty(previous));
    };
    for (int tile = team; tile < task.tiles; tile += teams) {
        float sums[COLUMNS / 2] = {};
        for (int step = begin; step < end; step++, next()) {
            const uint32_t a = address_of(memory) + stage * STAGE_BYTES, b = a + A_BYTES;
            wait_for_phase(full(stage), phase);
            wgmma_fence();
            multiply_64<T, a_along_k, b_along_k>(sums, a + group * BOX_BYTES, b);
            wgmma_commit();
            wgmma_wait<1>();  // until the step before is done: one is always under way
            if (step > begin) release_previous();
        }
        const Place at = place(tile);
        for (int i = lane; i < COLUMNS && GELU; i += 32)  // the bias comes while the last step is multiplied
            results[warp][0][i] = at.column + i < task.n ? task.bias[at.column + i] : T(0.0f);
        __syncwarp();
        wgmma_wait<0>();
        if (begin < end) release_previous();
        if (parts > 1) add_parts<GROUPS * 128>(sums, memory, parts, rank);
        if (GELU) {
#pragma unroll
            for (int i = 0; i < COLUMNS / 2; i++) {
                const float x = sums[i] + number(results[warp][0][i / 4 * 8 + lane % 4 * 2 + i % 2]);
                sums[i] = task.f == Activation::gelu ? gelu(x) : gelu_tanh(x);
            }
            __syncwarp();
        }
        const int width = COLUMNS / parts, first = parts > 1 ? rank * width : 0;  // the columns that this block stores
#pragma unroll
        for (int half = 0; half < 2; half++) {  // of the warp's 16 rows
#pragma unroll
            for (int i = 0; i < COLUMNS / 8; i++)
                store_pair(&results[warp][lane / 4][8 * i + lane % 4 * 2], sums[4 * i + 2 * half],
                           sums[4 * i + 2 * half + 1]);
            __syncwarp();
            const int top = at.row + warp * 16 + half * 8;
            store_rows(task.out + (int64_t(at.batch) * task.m + top) * task.n + at.column, results[warp], first,
                       min(8, task.m - top), min(width, task.n - at.column - first), task.n);
            __syncwarp();
        }
    }
    if (blocks > 1) cluster_sync();  // no block leaves while another copies into it, arrives at its barriers, or reads
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

std::string why_no_wgmma() {
    if (device_attribute(cudaDevAttrComputeCapabilityMajor) != 9)
        return "this GPU has no wgmma: it needs compute capability 9.0";
#ifndef CUDA_ON_CPU
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, wgmma_kernel<__half, 2, 256, 4, 1, true, true, false>));
    if (attributes.sharedSizeBytes == 0) return "it was compiled for sm_90, and wgmma needs sm_90a";  // an empty kernel
#endif
    return "";
}

// Launches the kernel for plan.tile, if it is tile i of TILES or a later one.
template <class T, int i = 0>
static void launch_tile(const Plan& plan, bool after_copies, bool a_along_k, bool b_along_k, const CUtensorMap& a,
                        const CUtensorMap& b, const Task<T>& task, cudaStream_t stream) {
    if constexpr (i + 1 < std::size(TILES))
        if (plan.tile != &TILES[i])
            return launch_tile<T, i + 1>(plan, after_copies, a_along_k, b_along_k, a, b, task, stream);
    constexpr int GROUPS = TILES[i].groups, COLUMNS = TILES[i].columns, CLUSTER = TILES[i].cluster;
    constexpr int STAGE_BYTES = (GROUPS * 64 + COLUMNS) * 128, RESULTS = GROUPS * 4 * 8 * (COLUMNS + 8) * 2;
    constexpr int STAGES = std::min(12, (227 * 1024 - RESULTS - 1024) / STAGE_BYTES);
    const auto launch = [&](auto kernel) {
        allow_shared_memory(kernel);
        cudaLaunchAttribute attributes[2] = {};
        cudaLaunchConfig_t config = {unsigned(plan.teams * plan.cluster()), GROUPS * 128 + 32, STAGES * STAGE_BYTES};
        config.attrs = attributes, config.stream = stream;
        if (plan.cluster() > 1) {  // a cluster of 1 would be slower than none: with small tiles on an H100 by 8 to 25 %
            attributes[0].id = cudaLaunchAttributeClusterDimension;
            attributes[0].val.clusterDim = {unsigned(plan.cluster()), 1, 1};
            config.numAttrs = 1;
        }
        if (after_copies) {  // start while the kernel that copies rows ends; see wait_for_kernels_before()
            attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
        }
        CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, a, b, task));
    };
    if (task.bias) return launch(wgmma_kernel<T, GROUPS, COLUMNS, STAGES, CLUSTER, true, true, true>);
    with_layout(a_along_k, b_along_k, [&](auto a_is, auto b_is) {
        launch(wgmma_kernel<T, GROUPS, COLUMNS, STAGES, CLUSTER, decltype(a_is)::value, decltype(b_is)::value, false>);
    });
}

template <class T>
static std::pair<Stored<T>, Stored<T>> operands_of(const WgmmaProduct<T>& p) {
    return {stored(p.a, p.m, p.k, p.batches, true), stored(p.b, p.k, p.n, p.batches, false)};
}

template <class T>
int64_t workspace_bytes(const WgmmaProduct<T>& product) {
    const auto [a, b] = operands_of(product);
    return (a.copied_elements() + b.copied_elements()) * int64_t(sizeof(T));
}

template <class T>
void launch_wgmma(const WgmmaProduct<T>& p, const std::string& step, void* workspace, cudaStream_t stream) {
    if (p.batches == 0 || p.m == 0 || p.n == 0) return;
    auto [a, b] = operands_of(p);
    const Plan plan = plan_for(step, a.is_skewed() || b.is_skewed(), p.batches, p.m, p.n, p.k,
                               device_attribute(cudaDevAttrMultiProcessorCount));
    const bool copied = launch_copy_rows(a, b, static_cast<T*>(workspace), stream);
    const CUtensorMap a_map = tensor_map(a), b_map = tensor_map(b);
    const int m = int(p.m), n = int(p.n), a_batched = a.batches > 1, b_batched = b.batches > 1;
    const Ladder<T> ladder = {p.out, m, n, plan.steps, a_batched, b_batched};
    if (launch_ladder(step, a_map, b_map, a.along_k, b.along_k, ladder, p.batches, stream)) return;
    const Task<T> task = {p.out,     p.bias,    p.f,         m,          n,          plan.steps, a_batched,
                          b_batched, plan.down, plan.across, plan.tiles, plan.parts, plan.each};
    launch_tile(plan, copied, a.along_k, b.along_k, a_map, b_map, task, stream);
}

#define FOR_TYPE(T)                                           \
    template int64_t workspace_bytes(const WgmmaProduct<T>&); \
    template void launch_wgmma(const WgmmaProduct<T>&, const std::string&, void*, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
