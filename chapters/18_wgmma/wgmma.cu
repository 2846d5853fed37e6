// wgmma.cu: out = f(a b + bias) in float16 and bfloat16 for Hopper: TMA brings tiles, wgmma multiplies them, and blocks
// stay to make one tile after another. No torch header in here.
#include "wgmma.h"

#include "common/shared_memory.h"
#include "copy_rows.h"
#include "device/number.h"
#include "gelu.h"
#include "ladder.h"
#include "operand.h"
#include "plan.h"
#include "work.h"

#ifdef HAS_WGMMA
// 8 rows of results of a warp go from shared memory to `to`: neighbours in the warp store neighbours, 16 bytes each, or
// from the first multiple of 4 bytes on, where rows of out begin anywhere.
template <class T, int pitch>
__device__ void store_rows(T* to, const T (&rows)[8][pitch], int height, int width, int64_t n) {
    const int lane = int(threadIdx.x % 32);
    if (n % 8 == 0 && reinterpret_cast<uintptr_t>(to) % 16 == 0) {
        for (int r = 0; r < height; r++)
            for (int c = lane * 8; c < width; c += 256)
                *reinterpret_cast<uint4*>(to + r * n + c) = *reinterpret_cast<const uint4*>(&rows[r][c]);
        return;
    }
#pragma unroll 1
    for (int r = 0; r < height; r++, to += n) {
        const int odd = int(reinterpret_cast<uintptr_t>(to) / 2 % 2);
        if (odd && lane == 0) to[0] = rows[r][0];
#pragma unroll 1
        for (int c = odd + 2 * lane; c < width; c += 64)
            if (c + 1 < width)
                store_pair(to + c, number(rows[r][c]), number(rows[r][c + 1]));
            else
                to[c] = rows[r][c];
    }
}
#endif

// A block has one warp that copies, and GROUPS groups of 4 warps that multiply. Between them lies a ring of STAGES
// buffers, each for a step of 64 numbers of k: its barrier in `full` says what has come, the one in `empty` what was
// read. The blocks of a cluster make tiles below each other: each copies a part of b's tile for both.
template <class T, int GROUPS, int COLUMNS, int STAGES, int CLUSTER, bool a_along_k, bool b_along_k>
__global__ void __launch_bounds__(GROUPS * 128 + 32, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, Task<T> task) {
#ifdef HAS_WGMMA
    constexpr int ROWS = GROUPS * 64, A_BYTES = ROWS * 128, STAGE_BYTES = A_BYTES + COLUMNS * 128;
    extern __shared__ __align__(1024) char memory[];
    __shared__ __align__(16) T results[GROUPS * 4][8][COLUMNS + 8];  // of each warp; 8 more against bank conflicts
    __shared__ uint64_t barriers[2 * STAGES];
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32), group = warp / 4;
    const int rank = int(blockIdx.x % CLUSTER), team = int(blockIdx.x / CLUSTER), teams = int(gridDim.x / CLUSTER);
    const auto full = [&](int stage) { return address_of(barriers) + 8 * stage; };
    const auto empty = [&](int stage) { return address_of(barriers) + 8 * (STAGES + stage); };
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) mbarrier_init(full(i), 1), mbarrier_init(empty(i), GROUPS * CLUSTER);
        fence_mbarrier_init();
    }
    CLUSTER > 1 ? cluster_sync() : __syncthreads();

    // Both roles go through the same steps of the same tiles, with the same buffers.
    int stage = 0, phase = 0;
    const auto next = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };
    const auto previous = [&] { return (stage == 0 ? STAGES : stage) - 1; };
    const auto place = [&](int tile) {
        Place p = place_of<ROWS * CLUSTER, COLUMNS, 16 / CLUSTER>(tile, task.down, task.across);
        p.row += rank * ROWS;
        return p;
    };
    if (group == GROUPS) {  // the warp that copies
        if (lane == 0)
            for_each_part(task, team, teams, [&](int tile, int begin, int end) {
                const Place at = place(tile);
                for (int step = begin; step < end; step++, next()) {
                    const uint32_t a = address_of(memory) + stage * STAGE_BYTES, b = a + A_BYTES;
                    wait_for_phase(empty(stage), phase ^ 1);  // at first, all buffers are empty
                    mbarrier_arrive_expect(full(stage), STAGE_BYTES);
                    for (int i = 0; i < ROWS; i += BOX)
                        load_box<a_along_k>(a + i * 128, &a_map, at.row + i, step * BOX, task.a_batched * at.batch,
                                            full(stage));
                    for (int i = rank * BOX; i < COLUMNS; i += CLUSTER * BOX)
                        load_box<b_along_k, CLUSTER>(b + i * 128, &b_map, at.column + i, step * BOX,
                                                     task.b_batched * at.batch, full(stage));
                }
            });
        __syncwarp();
        if (CLUSTER > 1) cluster_sync();  // see the end
        return;
    }
    const auto release = [&](int s) {  // a thread of the group tells each block of the cluster
        const int thread = int(threadIdx.x % 128);
        if (thread >= CLUSTER) return;
        CLUSTER > 1 ? mbarrier_arrive_cluster(in_block(empty(s), thread)) : mbarrier_arrive(empty(s));
    };
    for_each_part(task, team, teams, [&](int tile, int begin, int end) {
        float sums[COLUMNS / 2] = {};
        for (int step = begin; step < end; step++, next()) {
            const uint32_t a = address_of(memory) + stage * STAGE_BYTES, b = a + A_BYTES;
            wait_for_phase(full(stage), phase);
            wgmma_fence();
            multiply_64<T, a_along_k, b_along_k>(sums, a + group * BOX_BYTES, b);
            wgmma_commit();
            wgmma_wait<1>();  // until the step before is done: one is always under way
            if (step > begin) release(previous());
        }
        const Place at = place(tile);
        for (int i = lane; i < COLUMNS && task.bias; i += 32)  // the bias comes while the last step is multiplied
            results[warp][0][i] = at.column + i < task.n ? task.bias[at.column + i] : T(0.0f);
        __syncwarp();
        wgmma_wait<0>();
        if (begin < end) release(previous());
        if (end - begin < task.steps && !add_parts<GROUPS * 128, CLUSTER>(sums, task, tile - task.whole, begin, end))
            return;
        if (task.bias) {
#pragma unroll
            for (int i = 0; i < COLUMNS / 2; i++) sums[i] += number(results[warp][0][i / 4 * 8 + lane % 4 * 2 + i % 2]);
            __syncwarp();
        }
        if (task.f == Activation::gelu) {
#pragma unroll
            for (float& x : sums) x = gelu(x);
        }
        if (task.f == Activation::gelu_tanh) {
#pragma unroll
            for (float& x : sums) x = gelu_tanh(x);
        }
#pragma unroll
        for (int half = 0; half < 2; half++) {  // of the warp's 16 rows
#pragma unroll
            for (int i = 0; i < COLUMNS / 8; i++)
                store_pair(&results[warp][lane / 4][8 * i + lane % 4 * 2], sums[4 * i + 2 * half],
                           sums[4 * i + 2 * half + 1]);
            __syncwarp();
            const int top = at.row + warp * 16 + half * 8;
            store_rows(task.out + (int64_t(at.batch) * task.m + top) * task.n + at.column, results[warp],
                       min(8, task.m - top), min(COLUMNS, task.n - at.column), task.n);
            __syncwarp();
        }
    });
    if (CLUSTER > 1) cluster_sync();  // no block leaves while the other one copies into it, or arrives at its barriers
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

static int attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

std::string why_no_wgmma() {
    if (attribute(cudaDevAttrComputeCapabilityMajor) != 9)
        return "this GPU has no wgmma: it needs compute capability 9.0";
#ifndef CUDA_ON_CPU
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, wgmma_kernel<__half, 2, 256, 4, 1, true, true>));
    if (attributes.sharedSizeBytes == 0) return "it was compiled for sm_90, and wgmma needs sm_90a";  // an empty kernel
#endif
    return "";
}

// Everything that a launch decides before it starts.
template <class T>
struct Decision {
    Stored<T> a, b;
    Plan plan;
    int64_t copied, parts, counts;  // elements, floats and ints in the workspace
};

template <class T>
static Decision<T> decide(const WgmmaProduct<T>& p, const std::string& step) {
    Decision<T> d = {stored(p.a, p.m, p.k, p.batches, true), stored(p.b, p.k, p.n, p.batches, false)};
    d.copied = d.a.copied_elements() + d.b.copied_elements();
    const auto skewed = [](const Stored<T>& x) { return x.is_aligned() && x.rows > 1 && x.stride % 16 != 0; };
    const int blocks = attribute(cudaDevAttrMultiProcessorCount);
    d.plan = best_plan(skewed(d.a) || skewed(d.b), p.batches, p.m, p.n, p.k, blocks);
    const bool divide = step.size() > 8 && step.substr(step.size() - 8) == " divided";
    for (const Tile& tile : TILES)
        if (step == tile.name || (divide && step == tile.name + std::string(" divided")))
            d.plan = plan_for(tile, divide, p.batches, p.m, p.n, p.k, blocks);
    if (d.plan.divides()) {
        d.counts = (d.plan.tiles - d.plan.whole) * d.plan.tile->cluster;
        d.parts = 2 * d.plan.teams * d.plan.tile->rows() * d.plan.tile->columns;
    }
    return d;
}

template <class T>
int64_t workspace_bytes(const WgmmaProduct<T>& product, const std::string& step) {
    const Decision<T> d = decide(product, step);
    return d.parts * 4 + d.copied * 2 + d.counts * 4;
}

template <class T, int GROUPS, int COLUMNS, int CLUSTER>
static void launch_tile(const Decision<T>& d, const CUtensorMap& a, const CUtensorMap& b, const Task<T>& task,
                        cudaStream_t stream) {
    constexpr int STAGE_BYTES = (GROUPS * 64 + COLUMNS) * 128, RESULTS = GROUPS * 4 * 8 * (COLUMNS + 8) * 2;
    constexpr int STAGES = std::min(12, (227 * 1024 - RESULTS - 1024) / STAGE_BYTES);
    with_layout(d.a.along_k, d.b.along_k, [&](auto a_is, auto b_is) {
        const auto kernel =
            wgmma_kernel<T, GROUPS, COLUMNS, STAGES, CLUSTER, decltype(a_is)::value, decltype(b_is)::value>;
        allow_shared_memory(kernel);
        cudaLaunchAttribute cluster = {};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = CLUSTER, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = unsigned(d.plan.teams * CLUSTER), config.blockDim = unsigned(GROUPS * 128 + 32);
        config.dynamicSmemBytes = STAGES * STAGE_BYTES, config.stream = stream;
        config.attrs = &cluster, config.numAttrs = 1;
        CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, a, b, task));
    });
}

template <class T>
void launch_wgmma(const WgmmaProduct<T>& p, const std::string& step, void* workspace, cudaStream_t stream) {
    if (p.batches == 0 || p.m == 0 || p.n == 0) return;
    Decision<T> d = decide(p, step);
    float* parts = static_cast<float*>(workspace);  // then the copies, then the counts
    T* copies = reinterpret_cast<T*>(parts + d.parts);
    int* counts = reinterpret_cast<int*>(copies + d.copied);
    launch_copy_rows(d.a, d.b, copies, stream);
    const CUtensorMap a = tensor_map(d.a), b = tensor_map(d.b);
    const int a_batched = d.a.batches > 1, b_batched = d.b.batches > 1;
    if (launch_ladder<T>(step, a, b, d.a.along_k, d.b.along_k,
                         {p.out, int(p.m), int(p.n), d.plan.steps, a_batched, b_batched}, p.batches, stream))
        return;
    if (d.counts) CHECK_CUDA(cudaMemsetAsync(counts, 0, size_t(d.counts) * sizeof(int), stream));
    const Task<T> task = {p.out,        p.bias,       p.f,         int(p.m),    int(p.n),
                          d.plan.steps, a_batched,    b_batched,   d.plan.down, d.plan.across,
                          d.plan.tiles, d.plan.whole, d.plan.each, parts,       counts};
    const Tile& t = *d.plan.tile;
    if (t.columns == 64) return launch_tile<T, 1, 64, 1>(d, a, b, task, stream);
    if (t.columns == 192) return launch_tile<T, 2, 192, 1>(d, a, b, task, stream);
    if (t.groups == 1) return launch_tile<T, 1, 128, 1>(d, a, b, task, stream);
    if (t.columns == 128 && t.cluster == 1) return launch_tile<T, 2, 128, 1>(d, a, b, task, stream);
    if (t.columns == 128) return launch_tile<T, 2, 128, 2>(d, a, b, task, stream);
    if (t.cluster == 1) return launch_tile<T, 2, 256, 1>(d, a, b, task, stream);
    return launch_tile<T, 2, 256, 2>(d, a, b, task, stream);
}

#define FOR_TYPE(T)                                                               \
    template int64_t workspace_bytes(const WgmmaProduct<T>&, const std::string&); \
    template void launch_wgmma(const WgmmaProduct<T>&, const std::string&, void*, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
