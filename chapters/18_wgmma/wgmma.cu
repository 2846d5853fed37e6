// wgmma.cu: out = f(a b + bias) in float16 and bfloat16 for Hopper: TMA brings tiles, wgmma multiplies them, and blocks
// stay to make one tile after another. No torch header in here.
#include "wgmma.h"

#include "common/device_attribute.h"
#include "copy_rows.h"
#include "device/number.h"
#include "direct.h"
#include "divided.h"
#include "gelu.h"
#include "ladder.h"
#include "operand.h"
#include "plan.h"
#include "results.h"
#include "work.h"

// A block has one warp that copies, and GROUPS groups of 4 warps that multiply. Between them lies a ring of STAGES
// buffers. If the groups take TURNS, each makes every second tile of the block, and waits at a named barrier until the
// other has started its last product. The blocks of a cluster make tiles below each other: each copies a part of b's
// tile for all. GELU: out = f(a b + bias), not a b. (If the kernel chose at run time, products without GELU would fetch
// its instructions as well: 1 us on an H100.)
template <class T, int GROUPS, bool TURNS, int COLUMNS, int STAGES, int CLUSTER, bool a_along_k, bool b_along_k,
          bool GELU>
__global__ void __launch_bounds__(GROUPS * 128 + 32, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                 const __grid_constant__ CUtensorMap out_map, Task<T> task) {
#ifdef HAS_WGMMA
    constexpr int ROWS = GROUPS * 64, BOXES = BOXES_PER_WARP<GROUPS, COLUMNS>;
    constexpr int READERS = TURNS ? 1 : GROUPS;  // of a buffer
    constexpr int HEIGHT = GROUPS / READERS;     // a group makes HEIGHT times 64 rows
    extern __shared__ __align__(1024) char memory[];
    __shared__ uint64_t barriers[2 * STAGES];
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
    const int group = __shfl_sync(~0u, warp / 4, 0);  // so nvcc knows that it is the same in all lanes
    const int rank = int(blockIdx.x) % CLUSTER, team = int(blockIdx.x) / CLUSTER, teams = int(gridDim.x) / CLUSTER;
    Ring<ROWS, COLUMNS, STAGES, CLUSTER, READERS> ring = {address_of(memory), address_of(barriers)};
    if (threadIdx.x == 0) ring.make_barriers();
    if (threadIdx.x == GROUPS * 128) prefetch_map(&a_map), prefetch_map(&b_map);
    const auto place = [&](int tile) {
        Place p = place_of<ROWS * CLUSTER, COLUMNS, 16 / CLUSTER>(tile, task.down, task.across);
        p.row += rank * ROWS;
        return p;
    };
    Place at = place(team);  // before the barrier: nobody has to wait for these divisions
    CLUSTER > 1 ? cluster_sync() : __syncthreads();

    if (group == GROUPS) {  // the warp that copies
        if (lane == 0) wait_for_kernels_before();
        for (int tile = team; tile < task.tiles && lane == 0; tile += teams) {
            if (tile != team) at = place(tile);
            for (int step = 0; step < task.steps; step++)
                ring.template load<a_along_k, b_along_k>(&a_map, &b_map, task, at, step, rank);
        }
        __syncwarp();
        if (CLUSTER > 1) cluster_sync();  // see the end
        return;
    }
    T* const results = reinterpret_cast<T*>(memory + STAGES * ring.STAGE_BYTES);
    const auto make_tiles = [&](auto by_tma) {  // a type: each way gets its own copy of the loop
        const int turn = TURNS ? group : 0;
        const int first_box = TURNS ? 0 : group;  // of a's boxes of 64 rows: this group's first one
        if (TURNS) ring.skip(turn * task.steps);
        for (int tile = team + turn * teams; tile < task.tiles; tile += HEIGHT * teams) {
            if (tile != team) at = place(tile);
            float sums[HEIGHT][COLUMNS / 2] = {};
            if (TURNS && tile != team) named_barrier(1 + turn, GROUPS * 128);
            for (int step = 0; step < task.steps; step++, ring.next()) {
                ring.template multiply<T, a_along_k, b_along_k>(sums, first_box);
                if (step > 0) ring.release_previous();
            }
            if (TURNS && tile + teams < task.tiles) named_arrive(1 + (turn + 1) % GROUPS, GROUPS * 128);
            Two<T> bias[COLUMNS / BOX];  // two numbers of each box; they come while the last products run
#pragma unroll
            for (int i = 0; i < COLUMNS / BOX && GELU; i++) {
                const int c = at.column + BOX * i + 2 * lane;
                bias[i] = {c < task.n ? task.bias[c] : T(0.0f), c + 1 < task.n ? task.bias[c + 1] : T(0.0f)};
            }
            wgmma_wait<0>();
            if (task.steps > 0) ring.release_previous();
            if (TURNS) ring.skip((GROUPS - 1) * task.steps);  // those of the other group
            at.row += first_box * 64 + warp % 4 * 16;         // of the warp's results
#pragma unroll
            for (int h = 0; h < HEIGHT; h++, at.row += 64) {
#pragma unroll
                for (int i = 0; i < COLUMNS / BOX; i++) {
                    float* const d = sums[h] + i * (BOX / 2);
                    const auto f = [&](float x) { return task.f == Activation::gelu ? gelu(x) : gelu_tanh(x); };
#pragma unroll
                    for (int j = 0; j < BOX / 4 && GELU; j++) {
                        const Two<T> two = from_lane(bias[i], j / 2 * 4 + lane % 4);
                        d[2 * j] = f(d[2 * j] + number(two.first)), d[2 * j + 1] = f(d[2 * j + 1] + number(two.second));
                    }
                    if constexpr (decltype(by_tma)::value) {
                        T* const box = results + (warp * BOXES + i % BOXES) * BOX_NUMBERS;
                        wait_for_boxes<BOXES - 1>();
#pragma unroll
                        for (int j = 0; j < BOX / 4; j++)
                            store_pair(box + place_in_box(lane / 4 + j % 2 * 8, j / 2 * 8 + lane % 4 * 2), d[2 * j],
                                       d[2 * j + 1]);
                        fence_async();
                        __syncwarp();
                        if (lane == 0) tma_store(&out_map, address_of(box), at.column + i * BOX, at.row, at.batch);
                    }
                }
                if constexpr (!decltype(by_tma)::value) store_without_tma<COLUMNS>(task, at, results, sums[h]);
            }
        }
    };
    task.n % 8 == 0 ? make_tiles(std::true_type()) : make_tiles(std::false_type());
    wait_for_boxes<0>();              // TMA may still be reading
    if (CLUSTER > 1) cluster_sync();  // no block leaves while another copies into it, or arrives at its barriers
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

std::string why_no_wgmma() {
    if (device_attribute(cudaDevAttrComputeCapabilityMajor) != 9)
        return "this GPU has no wgmma: it needs compute capability 9.0";
#ifndef CUDA_ON_CPU
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, wgmma_kernel<__half, 2, false, 256, 4, 1, true, true, false>));
    if (attributes.sharedSizeBytes == 0) return "it was compiled for sm_90, and wgmma needs sm_90a";  // an empty kernel
#endif
    return "";
}

template <class T>
static void launch_whole(const Plan& plan, const Launch& launch, bool a_along_k, bool b_along_k, const CUtensorMap& a,
                         const CUtensorMap& b, const CUtensorMap& out, const Task<T>& task) {
    with_tile(plan.tile, [&](auto number) {
        constexpr Tile TILE = TILES[decltype(number)::value];
        constexpr int GROUPS = TILE.groups, COLUMNS = TILE.columns, CLUSTER = TILE.cluster;
        constexpr int RESULTS = RESULTS_BYTES<GROUPS, COLUMNS>, STAGES = TILE.stages(RESULTS);
        const int threads = GROUPS * 128 + 32, bytes = STAGES * TILE.stage_bytes() + RESULTS;
        if (task.bias)
            return launch(wgmma_kernel<T, GROUPS, TILE.turns, COLUMNS, STAGES, CLUSTER, true, true, true>, threads,
                          bytes, a, b, out, task);
        with_layout(a_along_k, b_along_k, [&](auto a_is, auto b_is) {
            constexpr bool A = decltype(a_is)::value, B = decltype(b_is)::value;
            launch(wgmma_kernel<T, GROUPS, TILE.turns, COLUMNS, STAGES, CLUSTER, A, B, false>, threads, bytes, a, b,
                   out, task);
        });
    });
}

template <class T>
static std::pair<Stored<T>, Stored<T>> operands_of(const WgmmaProduct<T>& p) {
    return {stored(p.a, p.m, p.k, p.batches, true), stored(p.b, p.k, p.n, p.batches, false)};
}

template <class T>
static Plan plan_of(const WgmmaProduct<T>& p, const std::string& step, bool a_skewed = false, bool b_skewed = false) {
    return plan_for(step, a_skewed, b_skewed, p.bias != nullptr, p.batches, p.m, p.n, p.k,
                    device_attribute(cudaDevAttrMultiProcessorCount));
}

// TMA stores boxes of 16 rows x 64 numbers, if rows of out begin at multiples of 16 bytes.
template <class T>
static CUtensorMap map_of_results(const WgmmaProduct<T>& p) {
    if (p.n % 8 > 0) return {};
    return tensor_map(p.out, {p.n, p.m, p.batches}, {p.n, p.m * p.n}, {BOX, 16, 1});
}

// Whether direct.cu does it: `auto` takes it where it is faster than a copy of rows, which is where a multiprocessor
// has one block at most, and this loads its boxes in one round (k <= 128).
template <class T>
static bool is_direct(const WgmmaProduct<T>& p, const std::string& step) {
    const auto [a, b] = operands_of(p);
    if (step != "auto" || p.bias || p.k > 128 || a.copied_elements() + b.copied_elements() == 0)
        return step == "direct";
    return plan_of(p, "64x64").tiles <= device_attribute(cudaDevAttrMultiProcessorCount);
}

template <class T>
int64_t workspace_bytes(const WgmmaProduct<T>& product, const std::string& step) {
    const auto [a, b] = operands_of(product);
    return is_direct(product, step) ? 0 : (a.copied_elements() + b.copied_elements()) * int64_t(sizeof(T));
}

template <class T>
void launch_wgmma(const WgmmaProduct<T>& p, const std::string& step, void* workspace, cudaStream_t stream) {
    if (p.batches == 0 || p.m == 0 || p.n == 0) return;
    auto [a, b] = operands_of(p);
    const int m = int(p.m), n = int(p.n), a_batched = a.batches > 1, b_batched = b.batches > 1;
    const auto task_of = [&](const Plan& plan) {
        return Task<T>{p.out,     p.bias,    p.f,         m,          n,          plan.steps, a_batched,
                       b_batched, plan.down, plan.across, plan.tiles, plan.parts, plan.each};
    };
    if (is_direct(p, step)) return launch_direct(a, b, task_of(plan_of(p, "64x64")), stream);

    const Plan plan = plan_of(p, step, a.is_skewed(), b.is_skewed());
    const bool copied = launch_copy_rows(a, b, static_cast<T*>(workspace), stream);
    const CUtensorMap a_map = tensor_map(a), b_map = tensor_map(b);
    const Ladder<T> ladder = {p.out, m, n, plan.steps, a_batched, b_batched};
    if (launch_ladder(step, a_map, b_map, a.along_k, b.along_k, ladder, p.batches, stream)) return;
    const Task<T> task = task_of(plan);
    const Launch launch = {plan.teams, plan.cluster(), copied, stream};
    if (plan.parts > 1)
        launch_divided(plan, launch, a.along_k, b.along_k, a_map, b_map, task);
    else
        launch_whole(plan, launch, a.along_k, b.along_k, a_map, b_map, map_of_results(p), task);
}

#define FOR_TYPE(T)                                                               \
    template int64_t workspace_bytes(const WgmmaProduct<T>&, const std::string&); \
    template void launch_wgmma(const WgmmaProduct<T>&, const std::string&, void*, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
