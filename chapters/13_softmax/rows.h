// rows.h: what softmax.cu and rms_norm.cu share: a thread's part of a row, the threads that share a row, and which of
// them the launcher takes. No torch header in here.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cfloat>
#include <stdexcept>
#include <string>

#include "common/check.h"
#include "common/grid.h"
#include "common/pack.h"
#include "softmax.h"

// ---- a thread's part of a row --------------------------------------------------------------------------------------

// A thread keeps `elements` elements of a row as floats in its registers: packs of `size` elements, number rank,
// rank + group.size() and so on, so that neighbours read neighbouring packs. size is that of a Pack of 16 bytes where
// all rows begin at multiples of 16, and 1 elsewhere.

// Elements behind the row's end become `none`. For them a thread reads the row's first pack once more, because loads
// under an `if` might wait for one another.
template <int size, class T, int elements, class Group>
__device__ void load(float (&values)[elements], const T* row, int n, const Group& group, float none) {
    Pack<T, size> packs[elements / size];
    for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        packs[k] = *reinterpret_cast<const Pack<T, size>*>(row + (begin < n ? begin : 0));
    }
    for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        for (int j = 0; j < size; j++) values[k * size + j] = begin < n ? float(packs[k].values[j]) : none;
    }
}

template <int size, class T, int elements, class Group>
__device__ void store(T* row, const float (&values)[elements], int n, const Group& group) {
    for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        Pack<T, size> pack;
        for (int j = 0; j < size; j++) pack.values[j] = T(values[k * size + j]);
        if (begin < n) *reinterpret_cast<Pack<T, size>*>(row + begin) = pack;
    }
}

// ---- what a warp has found -----------------------------------------------------------------------------------------

// Over 32 lanes, or over each 1, 2, 4, 8 or 16 neighbours. __shfl_xor_sync returns the value of the lane whose number
// differs from this lane's in the bit `apart`. So each lane of a pair gets the other's value, and in the end all lanes
// have the result.
__device__ inline float warp_max(float value, int lanes = 32) {
    for (int apart = lanes / 2; apart > 0; apart /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, apart));
    return value;
}

__device__ inline float warp_sum(float value, int lanes = 32) {
    for (int apart = lanes / 2; apart > 0; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

// Of a part of a row: its largest element, and the sum of exp(element - max) over its elements. A part with no element,
// or with -infinity alone, has the lowest finite number as its largest: -infinity - -infinity would be NaN.
struct MaxSum {
    float max, sum;
};

// Parts of a row together; 32 lanes call it. The larger of two maxima is that of both, and the other sum shrinks.
__device__ inline MaxSum combined(const MaxSum* parts, int count) {
    float max = -FLT_MAX, sum = 0;
    for (int i = int(threadIdx.x) % 32; i < count; i += 32) max = fmaxf(max, parts[i].max);
    max = warp_max(max);
    for (int i = int(threadIdx.x) % 32; i < count; i += 32) sum += parts[i].sum * expf(parts[i].max - max);
    return {max, warp_sum(sum)};
}

// The same for two sums.
__device__ inline float2 combined(const float2* parts, int count) {
    float2 sums = {0, 0};
    for (int i = int(threadIdx.x) % 32; i < count; i += 32) sums.x += parts[i].x, sums.y += parts[i].y;
    return {warp_sum(sums.x), warp_sum(sums.y)};
}

// ---- the threads that share a row ----------------------------------------------------------------------------------

// Where a row begins in its array, and how many elements it has: 0 if there is no such row, and it begins at another
// one.
struct Row {
    int64_t begin;
    int n;

    __device__ Row(int64_t row, int64_t rows, int64_t n)
        : begin(row < rows ? row * n : 0), n(row < rows ? int(n) : 0) {}
};

// A group is made by all threads of a block, once. This thread is number rank() of the size() threads that share a row;
// lanes() of them are in its warp. threadIdx.y is the number of the row in the block, 0 but for Warp. combine() takes
// what this warp has found, and returns what all of them have.

// A warp, or 1, 2, 4, 8 or 16 of its lanes: blockDim.x of them. A block has blockDim.y rows.
struct Warp {
    __device__ static int lanes() { return int(blockDim.x); }
    __device__ static int rank() { return int(threadIdx.x); }
    __device__ static int size() { return int(blockDim.x); }
    __device__ static int64_t first_row() { return int64_t(blockIdx.x) * blockDim.y; }
    __device__ static int64_t rows_at_a_time() { return int64_t(gridDim.x) * blockDim.y; }

    template <class Part>
    __device__ Part combine(Part mine) const {
        return mine;
    }
};

struct Block {
    __device__ static constexpr int lanes() { return 32; }
    __device__ static int rank() { return int(threadIdx.x); }
    __device__ static int size() { return int(blockDim.x); }
    __device__ static int64_t first_row() { return blockIdx.x; }
    __device__ static int64_t rows_at_a_time() { return gridDim.x; }

    template <class Part>
    __device__ Part combine(Part mine) const {  // through the block's shared memory
        __shared__ Part parts[32];              // a block has at most 32 warps
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
        __syncthreads();  // all parts are written
        const Part all = combined(parts, int(blockDim.x) / 32);
        __syncthreads();  // all warps have read them: the next call may overwrite them
        return all;
    }
};

// Each warp writes what it has found into the shared memory of every block, so that each block reads its own. A block
// may not write to another one that has not started yet, or still reads the last parts: each block arrives at the
// cluster's barrier when it is ready for that, and waits there for the others before it writes. (These are the
// functions that cooperative groups are made of, without their header, which takes nvcc longer than this file.)
struct Cluster {
// GPUs below compute capability 9.0 have no clusters: choose() never launches this there.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    __device__ Cluster() { __cluster_barrier_arrive(); }  // this block has started
    __device__ ~Cluster() { __cluster_barrier_wait(); }

    __device__ static constexpr int lanes() { return 32; }
    __device__ static int blocks() { return int(__clusterSizeInBlocks()); }
    __device__ static int block() { return int(__clusterRelativeBlockRank()); }
    __device__ static int rank() { return block() * int(blockDim.x) + int(threadIdx.x); }
    __device__ static int size() { return blocks() * int(blockDim.x); }
    __device__ static int64_t first_row() { return int(blockIdx.x) / blocks(); }
    __device__ static int64_t rows_at_a_time() { return int(gridDim.x) / blocks(); }

    template <class Part>
    __device__ Part combine(Part mine) const {  // through that of all blocks
        __shared__ Part parts[16 * 32];         // of 16 blocks at most
        const int warps = int(blockDim.x) / 32, warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
        __cluster_barrier_wait();
        if (lane < blocks())  // lane i writes to block i, where `parts` has the same place
            static_cast<Part*>(__cluster_map_shared_rank(parts, unsigned(lane)))[block() * warps + warp] = mine;
        __cluster_barrier_arrive();
        __cluster_barrier_wait();  // all parts are written
        const Part all = combined(parts, blocks() * warps);
        __cluster_barrier_arrive();  // this thread has read them
        return all;
    }
#else
    __device__ static constexpr int lanes() { return 32; }
    __device__ static int rank() { return 0; }
    __device__ static int size() { return 1; }
    __device__ static int64_t first_row() { return 0; }
    __device__ static int64_t rows_at_a_time() { return 1; }

    template <class Part>
    __device__ Part combine(Part mine) const {
        return mine;
    }
#endif
};

// ---- which threads take a row --------------------------------------------------------------------------------------

// Elements of a row that a thread keeps, in registers: more would leave room for fewer threads, and a thread that keeps
// fewer has fewer bytes in flight.
constexpr int ELEMENTS = 16;
constexpr int MOST_THREADS = 1024;  // of a block, CUDA's limit
// Of a block that has rows in its warps. Few, so that blocks end and start often, and no multiprocessor idles for long.
constexpr int WARP_THREADS = 128;
// Of a block that shares a row, where there is a choice: several blocks fit on a multiprocessor, and while one waits at
// a barrier, the others load and store. A longer row is shared by more blocks before by larger ones.
constexpr int GOOD_THREADS = 512;
constexpr int PORTABLE_CLUSTER = 8;  // blocks that every GPU with clusters can run
constexpr int LARGEST_CLUSTER = 16;  // of an H100 or H200, where the kernel asks for it

struct Choice {
    Step step;
    dim3 block;           // its threads
    unsigned blocks = 1;  // of a cluster
};

// How many blocks share a row for which so many threads are needed; 0 where the GPU has no such clusters.
template <class Kernel>
unsigned blocks_of_cluster(int64_t needed, Kernel kernel) {
    int device = 0, clusters = 0, largest = PORTABLE_CLUSTER;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device));
    if (!clusters) return 0;
    for (unsigned blocks = 2; blocks <= PORTABLE_CLUSTER; blocks *= 2)
        if (needed <= int64_t(blocks) * GOOD_THREADS) return blocks;
    if (needed <= int64_t(PORTABLE_CLUSTER) * MOST_THREADS) return PORTABLE_CLUSTER;
    cudaLaunchConfig_t config = {};
    config.gridDim = LARGEST_CLUSTER, config.blockDim = MOST_THREADS;
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK_CUDA(cudaOccupancyMaxPotentialClusterSize(&largest, kernel, &config));
    return largest >= LARGEST_CLUSTER && needed <= int64_t(LARGEST_CLUSTER) * MOST_THREADS ? LARGEST_CLUSTER : 0;
}

// Which threads share a row of n elements, where a thread keeps so many. whole: rows are whole packs of 16 bytes, which
// begin at multiples of 16; where they are not, only warps keep rows. cluster: the kernel for Cluster, which the GPU is
// asked about. Throws std::invalid_argument where `step` does not take such rows.
template <class Kernel>
Choice choose(Step step, int64_t n, int elements, bool whole, Kernel cluster) {
    const int64_t needed = (n + elements - 1) / elements;
    unsigned blocks = 0;
    if (whole && (step == Step::cluster || (step == Step::automatic && needed > GOOD_THREADS)))
        blocks = blocks_of_cluster(needed, cluster);
    if (step == Step::automatic)
        step = needed <= 32                      ? Step::warp
               : whole && needed <= GOOD_THREADS ? Step::block
               : blocks > 0                      ? Step::cluster
                                                 : Step::online;
    const auto whole_warps = [](int64_t threads) { return dim3(unsigned((threads + 31) / 32 * 32)); };
    if (step == Step::warp && needed <= 32) {
        unsigned lanes = 1;
        while (lanes < needed) lanes *= 2;
        return {step, dim3(lanes, WARP_THREADS / lanes)};
    }
    if (step == Step::block && whole && needed <= MOST_THREADS) return {step, whole_warps(needed)};
    if (step == Step::cluster && blocks > 0) return {step, whole_warps((needed + blocks - 1) / blocks), blocks};
    if (step == Step::online) return {step, whole_warps(std::min<int64_t>(needed, GOOD_THREADS))};
    const std::string most = std::to_string((step == Step::warp ? 32 : MOST_THREADS) * elements);
    throw std::invalid_argument("this step does not take rows of " + std::to_string(n) + " elements: " +
                                (step == Step::warp    ? "a warp keeps at most " + most
                                 : !whole              ? "they are not whole packs of 16 bytes"
                                 : step == Step::block ? "a block keeps at most " + most
                                                       : "this GPU has no cluster that keeps so many") +
                                "; auto takes any");
}

// A launch of so many groups, each of which has block.y rows. The attribute makes clusters of neighbouring blocks.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Choice& choice, int64_t groups, cudaStream_t stream,
            Arguments... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = choice.blocks, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks_for(groups * choice.blocks, 1);
    config.blockDim = choice.block;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = choice.step == Step::cluster ? 1 : 0;
    CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}
