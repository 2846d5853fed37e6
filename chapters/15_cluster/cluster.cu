// cluster.cu: the softmax of long rows and its gradient. A cluster of blocks keeps a row in its registers, and
// exchanges the parts of its blocks in three ways. No torch header in here.
#include "cluster.h"

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cuda/ptx>

#include "device/cache_hint.h"
#include "common/cuda_check.h"
#include "common/device_attribute.h"
#include "common/grid.h"
#include "device/max_sum.h"
#include "device/over_row.h"
#include "device/row_packs.h"
#include "common/shared_memory.h"

constexpr int MOST_BLOCKS = 16;  // of a cluster, on an H100; any GPU that has clusters allows 8

// ---- softmax and its gradient, as in chapter 13: all kernels take either of them as Op -----------------------------

// v: a thread's elements of each input. part() reduces them to a part of the row. finish() makes results of them in
// v[0], with the part of the whole cluster. Each of a block's THREADS has PACKS packs of each input. BLOCKS fit on a
// multiprocessor at a time: of float one, with which an earlier version was faster on an H200 than with two.
// Chapter 13 is as fast, or faster, for rows of up to SHORT elements: of x in 128 KiB, which stay in the L2 cache.
template <class Type>
struct Forward {
    using T = Type;
    using Part = MaxSum<float>;
    static constexpr int INPUTS = 1, THREADS = 256, PACKS = sizeof(T) == 4 ? 16 : 8, BLOCKS = sizeof(T) == 4 ? 1 : 2;
    static constexpr int64_t SHORT = 128 * 1024 / sizeof(T);
    const T* in[INPUTS];  // x
    static __device__ T none() { return T(-INFINITY); }

    template <int count>
    static __device__ Part part(float (&v)[INPUTS][count]) {
        Part all;
        UNROLL for (int i = 0; i < count; i++) all.max = fmaxf(all.max, v[0][i]);
        UNROLL for (int i = 0; i < count; i++) all.sum += v[0][i] = fast_exp(v[0][i] - all.max);
        return all;
    }
    template <int count>
    static __device__ void finish(float (&v)[INPUTS][count], Part mine, Part all) {
        const float scale = fast_exp(mine.max - all.max) * (1 / all.sum);
        UNROLL for (int i = 0; i < count; i++) v[0][i] *= scale;
    }
};

template <class Type>
struct Backward {
    using T = Type;
    using Part = float;  // the sum of grad * y
    static constexpr int INPUTS = 2, THREADS = 512, PACKS = sizeof(T) == 4 ? 8 : 4, BLOCKS = 1;
    static constexpr int64_t SHORT = 32768;
    const T* in[INPUTS];  // grad and y
    static __device__ T none() { return T(0.f); }

    template <int count>
    static __device__ Part part(float (&v)[INPUTS][count]) {
        Part sum = 0;
        UNROLL for (int i = 0; i < count; i++) sum += v[0][i] * v[1][i];
        return sum;
    }
    template <int count>
    static __device__ void finish(float (&v)[INPUTS][count], Part, Part sum) {
        UNROLL for (int i = 0; i < count; i++) v[0][i] = v[1][i] * (v[0][i] - sum);
    }
};

// ---- what a block has of a row, and how blocks exchange their parts ------------------------------------------------

// GPUs of a compute capability below 9.0 have no clusters. There the kernels are empty, and never launched.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CLUSTERS
constexpr int MOST_WARPS = MOST_BLOCKS * 512 / 32;  // of a cluster

__device__ inline int blocks_of_cluster() { return int(__clusterSizeInBlocks()); }
__device__ inline int block_of_cluster() { return int(__clusterRelativeBlockRank()); }

// p points into the shared memory of the thread's own block. Returns the address of the same place in block `block`.
template <class T>
__device__ T* in_block(int block, T* p) {
    return static_cast<T*>(__cluster_map_shared_rank(p, unsigned(block)));
}

// What this block has of a row. Each block of the cluster takes `each` packs, one after another. The last blocks may
// have fewer packs, or no pack.
template <class T>
__device__ Section section_of(const T* out, int64_t row, int64_t n, int each) {
    const int shift = shift_of(out + row * n), size = each * Pack<T>::SIZE, first = block_of_cluster() * size;
    return {row * n - shift + first, max(shift - first, 0), min(int(n) + shift - first, size)};
}

// One thread tells its block's barrier how many bytes all blocks will send. The barrier's phase ends when it has been
// told and all bytes have come. Some may have come before.
__device__ inline void expect(uint64_t* barrier, unsigned bytes) {
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, barrier,
                                         bytes);
}

// A warp sends its part to all blocks: lane i writes it into the shared memory of block i, and tells the barrier there.
template <class Part>
__device__ void send(Part* parts, uint64_t* barrier, Part of_warp) {
    const int block = int(threadIdx.x) % 32, warp = int(block_of_cluster() * blockDim.x + threadIdx.x) / 32;
    if (block < blocks_of_cluster())
        cuda::ptx::st_async(in_block(block, parts + warp), of_warp, in_block(block, barrier));
}

// All parts together, as soon as they are here: the barrier's phase of that parity is over.
template <class Part>
__device__ Part receive(const Part* parts, uint64_t* barrier, int parity) {
    while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, barrier,
                                                unsigned(parity))) {
    }
    Part all = {};
    const int warps = blocks_of_cluster() * int(blockDim.x) / 32;
    for (int warp = int(threadIdx.x) % 32; warp < warps; warp += 32) all = all + parts[warp];
    __syncwarp();  // all lanes have read these parts, before one of them sends a part of the next row
    return over_lanes(all, 32);
}
#endif

// ---- step barrier: a cluster for each row; its blocks read each other's shared memory ------------------------------

// layout: whole, or shifted.
template <class Op, Layout layout, class T>
__global__ void __launch_bounds__(Op::THREADS, Op::BLOCKS) barrier_kernel(T* out, Op op, int64_t, int64_t n, int each) {
#ifdef CLUSTERS
    __shared__ typename Op::Part of_block;
    const Section s = section_of(out, blockIdx.x / blocks_of_cluster(), n, each);
    float v[Op::INPUTS][Op::PACKS * Pack<T>::SIZE];
    load<layout>(v, op.in, s, op.none());
    const auto mine = op.part(v);
    const auto found = over_row(mine);  // by the block
    if (threadIdx.x == 0) of_block = found;
    __cluster_barrier_arrive();  // this block has written its part
    __cluster_barrier_wait();    // every block has written
    const int lane = int(threadIdx.x) % 32;
    typename Op::Part all = {};
    if (lane < blocks_of_cluster()) all = *in_block(lane, &of_block);
    __cluster_barrier_arrive();  // this thread has read the parts
    op.finish(v, mine, over_lanes(all, 32));
    store<layout>(out, s, v[0]);
    __cluster_barrier_wait();  // all have read: this block may end, and its shared memory with it
#endif
}

// ---- step mbarrier: they write into each other's shared memory -----------------------------------------------------

template <class Op, Layout layout, class T>
__global__ void __launch_bounds__(Op::THREADS, Op::BLOCKS)
    mbarrier_kernel(T* out, Op op, int64_t, int64_t n, int each) {
#ifdef CLUSTERS
    __shared__ uint64_t barrier;
    __shared__ typename Op::Part parts[MOST_WARPS];  // of all warps of the cluster
    if (threadIdx.x == 0) {
        cuda::ptx::mbarrier_init(&barrier, 1);  // one thread arrives: this one, in expect()
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
        expect(&barrier, blocks_of_cluster() * Op::THREADS / 32 * sizeof *parts);
    }
    __cluster_barrier_arrive();  // this block has a barrier
    const Section s = section_of(out, blockIdx.x / blocks_of_cluster(), n, each);
    float v[Op::INPUTS][Op::PACKS * Pack<T>::SIZE];
    load<layout>(v, op.in, s, op.none());
    const auto mine = op.part(v);
    const auto of_warp = over_lanes(mine, 32);
    __cluster_barrier_wait();  // all blocks have a barrier
    send(parts, &barrier, of_warp);
    op.finish(v, mine, receive(parts, &barrier, 0));
    store<layout>(out, s, v[0]);
#endif
}

// ---- step pipeline: clusters go from row to row; while they work on one, the next one arrives in shared memory -----

// Starts a copy of 16 bytes that bypasses the registers, with a hint for the L2 cache. Only `bytes` bytes are read, and
// zeros follow.
__device__ inline void start_copy(uint4* to, const void* from, int bytes) {
#ifdef CLUSTERS
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(
                     unsigned(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(bytes), "l"(keep_policy())
                 : "memory");
#endif
}

template <class Op, Layout layout, class T>
__global__ void __launch_bounds__(Op::THREADS, Op::BLOCKS)
    pipeline_kernel(T* out, Op op, int64_t rows, int64_t n, int each) {
#ifdef CLUSTERS
    constexpr int size = Pack<T>::SIZE;
    constexpr bool whole = layout == Layout::whole;
    // A place for each pack of a thread. No other thread looks there, so no thread has to wait for another. The array
    // is aligned to 128 bytes, so that the 512 bytes of a warp fill whole rows of the 32 banks.
    extern __shared__ __align__(128) uint4 places[];
    const auto place = [&](int a, int k) { return places + (a * Op::PACKS + k) * Op::THREADS + threadIdx.x; };
    const auto fetch = [&](int64_t row) {
        if (row >= rows) return;
        const Section s = section_of(out, row, n, each);
        UNROLL for (int a = 0; a < Op::INPUTS; a++) UNROLL for (int k = 0; k < Op::PACKS; k++) {
            const int i = (k * Op::THREADS + int(threadIdx.x)) * size;
            // A pack may begin in the row before. The last one may end after the array: what is there is not read.
            const int64_t left = whole ? size : min(rows * n - s.base - i, int64_t(size));
            if (i < s.end) start_copy(place(a, k), op.in[a] + s.base + i, int(left) * int(sizeof(T)));
        }
        __pipeline_commit();
    };

    // Rows use two barriers in turn: some warps still read one row's parts when others send the next row's.
    __shared__ uint64_t barriers[2];
    __shared__ typename Op::Part parts[2][MOST_WARPS];
    if (threadIdx.x == 0) {
        for (uint64_t& barrier : barriers) cuda::ptx::mbarrier_init(&barrier, 1);
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
    }
    const int64_t clusters = gridDim.x / blocks_of_cluster();
    int64_t row = blockIdx.x / blocks_of_cluster();
    fetch(row);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();  // all blocks have started, and have barriers
    for (int count = 0; row < rows; row += clusters, count++) {
        const Section s = section_of(out, row, n, each);
        float v[Op::INPUTS][Op::PACKS * size];
        __pipeline_wait_prior(0);
        UNROLL for (int a = 0; a < Op::INPUTS; a++) UNROLL for (int k = 0; k < Op::PACKS; k++) {
            const int i = (k * Op::THREADS + int(threadIdx.x)) * size;
            Pack<T> pack;
            if (i < s.end) memcpy(&pack, place(a, k), sizeof pack);
            UNROLL for (int j = 0; j < size; j++) {
                const bool inside = whole ? i < s.end : i + j >= s.begin && i + j < s.end;
                v[a][k * size + j] = number(inside ? pack.values[j] : op.none());
            }
        }
        const int slot = count % 2, parity = count / 2 % 2;  // a barrier's phases have the parities 0, 1, 0, ...
        const auto mine = op.part(v);
        if (threadIdx.x == 0) expect(&barriers[slot], blocks_of_cluster() * Op::THREADS / 32 * sizeof *parts[slot]);
        send(parts[slot], &barriers[slot], over_lanes(mine, 32));
        fetch(row + clusters);  // while `row` is in registers
        op.finish(v, mine, receive(parts[slot], &barriers[slot], parity));
        store<layout>(out, s, v[0]);
    }
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

// Bytes of shared memory of which a multiprocessor has enough for one block, but not for two.
constexpr int ONE_BLOCK = 120 * 1024;

template <class T, class Op>
static std::string launch(T* out, Op op, int64_t rows, int64_t n, ClusterStep step, cudaStream_t stream) {
    constexpr int size = Pack<T>::SIZE, room = Op::PACKS * Op::THREADS;  // packs of a block
    bool begin_at_packs = aligned(out);
    for (const T* input : op.in) begin_at_packs = begin_at_packs && aligned(input);
    const bool whole = begin_at_packs && n % size == 0;
    if (step == ClusterStep::automatic && n <= Op::SHORT) return "chapter 13 is as fast";
    if (step == ClusterStep::automatic) step = ClusterStep::pipeline;
    const bool pipeline = step == ClusterStep::pipeline;
    if (pipeline && !begin_at_packs) return "tensors do not begin at multiples of 16 bytes";

    const auto choose = [&](auto as) {
        return step == ClusterStep::barrier    ? barrier_kernel<Op, as(), T>
               : step == ClusterStep::mbarrier ? mbarrier_kernel<Op, as(), T>
                                               : pipeline_kernel<Op, as(), T>;
    };
    const auto kernel = whole ? choose(std::integral_constant<Layout, Layout::whole>())
                              : choose(std::integral_constant<Layout, Layout::shifted>());
    int most = 0;
    cudaFuncAttributes attributes;
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    if (!device_attribute(cudaDevAttrClusterLaunch)) return "this GPU has no clusters";
    if (attributes.ptxVersion < 90) return "it was compiled for GPUs that have no clusters";

    cudaLaunchConfig_t config = {};
    config.blockDim = unsigned(Op::THREADS), config.stream = stream;
    if (pipeline) {
        const int bytes = Op::INPUTS * room * 16;
        config.dynamicSmemBytes = unsigned(Op::BLOCKS == 1 ? std::max(bytes, ONE_BLOCK) : bytes);
        if (int(config.dynamicSmemBytes) > allow_shared_memory(kernel)) return "this GPU has too little shared memory";
    }
    config.gridDim = unsigned(MOST_BLOCKS);
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));  // more than 8
    CHECK_CUDA(cudaOccupancyMaxPotentialClusterSize(&most, kernel, &config));
    const int64_t packs = whole ? n / size : (n + 2 * size - 2) / size;  // of the row, or that it may touch
    unsigned blocks = 1;  // a cluster of one as well: outside of clusters, st.async is an illegal instruction
    while (blocks <= MOST_BLOCKS && blocks * int64_t(room) < packs) blocks *= 2;
    if (blocks > unsigned(std::min(most, MOST_BLOCKS)))
        return "a cluster has at most " + std::to_string(most) + " blocks here, and each keeps " +
               std::to_string(room * size) + " elements";

    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.attrs = &cluster, config.numAttrs = 1;
    int64_t clusters = rows;
    if (pipeline) {  // no more than the GPU runs at a time
        int at_a_time = 0;
        config.gridDim = blocks;
        CHECK_CUDA(cudaOccupancyMaxActiveClusters(&at_a_time, kernel, &config));
        clusters = std::min<int64_t>(rows, std::max(at_a_time, 1));
    }
    config.gridDim = blocks_for(clusters * blocks, 1);
    const int each = int((packs + blocks - 1) / blocks);
    CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, out, op, rows, n, each));
    return "";
}

template <class T>
std::string launch_cluster_softmax(T* out, const T* x, int64_t rows, int64_t n, ClusterStep step, cudaStream_t stream) {
    return launch(out, Forward<T>{{x}}, rows, n, step, stream);
}

template <class T>
std::string launch_cluster_softmax_backward(T* grad_x, const T* grad, const T* y, int64_t rows, int64_t n,
                                            ClusterStep step, cudaStream_t stream) {
    return launch(grad_x, Backward<T>{{grad, y}}, rows, n, step, stream);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                                             \
    template std::string launch_cluster_softmax(T*, const T*, int64_t, int64_t, ClusterStep, cudaStream_t);     \
    template std::string launch_cluster_softmax_backward(T*, const T*, const T*, int64_t, int64_t, ClusterStep, \
                                                         cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
