// rows.h: what softmax.cu and rms_norm.cu share: a thread's part of a row, the threads that share a row, and which of
// them the launcher takes. No torch header in here.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cfloat>
#include <stdexcept>
#include <string>

#include "common/check.h"
#include "common/grid.h"
#include "common/pack.h"
#include "softmax.h"

constexpr int MOST_THREADS = 1024;  // of a block, CUDA's limit
constexpr int MOST_BLOCKS = 8;      // of a cluster, on any GPU that has clusters

// ---- a thread's part of a row --------------------------------------------------------------------------------------

// A thread keeps `elements` elements of a row as floats in its registers: packs of `size` elements, number rank,
// rank + group.size() and so on, so that neighbours read neighbouring packs. size is that of a Pack of 16 bytes where
// all rows begin at multiples of 16, and 1 elsewhere.

// nvcc unrolls a loop over 16 elements, but not one over 32 unless asked. An array that a loop indexes at run time
// would lie in memory: registers have no index.
#define UNROLL _Pragma("unroll")

// Where a row begins in its array, and how many elements it has: 0 if there is no such row, and it begins at another
// one.
struct Row {
    int64_t begin;
    int n;

    __device__ Row(int64_t row, int64_t rows, int64_t n)
        : begin(row < rows ? row * n : 0), n(row < rows ? int(n) : 0) {}
};

// Elements behind the row's end become `none`. For them a thread reads the row's first pack once more, because loads
// under an `if` might wait for one another.
template <int size, class T, int elements, class Group>
__device__ void load(float (&values)[elements], const T* row, int n, const Group& group, float none) {
    Pack<T, size> packs[elements / size];
    UNROLL for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        packs[k] = *reinterpret_cast<const Pack<T, size>*>(row + (begin < n ? begin : 0));
    }
    UNROLL for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        UNROLL for (int j = 0; j < size; j++) values[k * size + j] = begin < n ? float(packs[k].values[j]) : none;
    }
}

template <int size, class T, int elements, class Group>
__device__ void store(T* row, const float (&values)[elements], int n, const Group& group) {
    UNROLL for (int k = 0; k < elements / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        Pack<T, size> pack;
        UNROLL for (int j = 0; j < size; j++) pack.values[j] = T(values[k * size + j]);
        if (begin < n) *reinterpret_cast<Pack<T, size>*>(row + begin) = pack;
    }
}

// ---- the next row on its way ---------------------------------------------------------------------------------------

// A thread's own places in shared memory, of packs as they are in memory: no other thread looks there, so none has to
// wait at a barrier. Pack k lies k * threads behind the first, so that neighbours read neighbouring packs.
template <class T, int elements>
struct Places {
    static constexpr int SIZE = Pack<T>::SIZE;
    Pack<T>* first;

    // Number `array` of the places that the launcher has asked for.
    __device__ explicit Places(int array) {
        extern __shared__ uint4 places[];
        const int threads = int(blockDim.x * blockDim.y);
        first = reinterpret_cast<Pack<T>*>(places) + array * (elements / SIZE) * threads +
                int(threadIdx.y * blockDim.x + threadIdx.x);
    }

    // Copies start that bring this thread's part of a row here, 16 bytes each, past the registers (`cp.async`). Behind
    // the row's end they bring zeros instead.
    template <class Group>
    __device__ void fetch(const T* row, int n, const Group& group) const {
        UNROLL for (int k = 0; k < elements / SIZE; k++) {
            const int begin = (group.rank() + k * group.size()) * SIZE;
            __pipeline_memcpy_async(first + k * int(blockDim.x * blockDim.y), row + (begin < n ? begin : 0),
                                    sizeof(Pack<T>), begin < n ? 0 : sizeof(Pack<T>));
        }
        __pipeline_commit();
    }

    __device__ Pack<T> pack(int k) const { return first[k * int(blockDim.x * blockDim.y)]; }
};

// An array whose rows a group takes, one after another. ahead: while it computes one, the next one is on its way. An
// operator has `arrays` of them, and loads each once for every row; this is number `array`.
template <class T, int size, int elements, bool ahead, int arrays = 1>
struct Rows {
    const T* x;
    int64_t rows, n;
    int array;

    template <class Group>
    __device__ Rows(const T* x, int64_t rows, int64_t n, const Group& group, int array = 0)
        : x(x), rows(rows), n(n), array(array) {
        if constexpr (ahead) fetch(group.first_row(), group);
    }

    template <class Group>
    __device__ void fetch(int64_t first, const Group& group) const {
        const Row row(first + threadIdx.y, rows, n);
        Places<T, elements>(array).fetch(x + row.begin, row.n, group);
    }

    // This thread's part of a row: `first` is the block's first one. Returns where the row is.
    template <class Group>
    __device__ Row load(float (&values)[elements], int64_t first, const Group& group, float none) const {
        const Row row(first + threadIdx.y, rows, n);
        if constexpr (ahead) {
            __pipeline_wait_prior(arrays - 1);  // for all copies of this thread, but those of the latest fetch or none
            UNROLL for (int k = 0; k < elements / size; k++) {
                const bool there = none == 0 || (group.rank() + k * group.size()) * size < row.n;
                const Pack<T> pack = Places<T, elements>(array).pack(k);
                UNROLL for (int j = 0; j < size; j++) values[k * size + j] = there ? float(pack.values[j]) : none;
            }
            fetch(first + group.rows_at_a_time(), group);
        } else {
            ::load<size>(values, x + row.begin, row.n, group, none);
        }
        return row;
    }
};

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
        __shared__ Part parts[MOST_BLOCKS * 32];
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

// Elements of a row that a thread keeps where the next row is on its way: 128 bytes of float32, as many in registers as
// in shared memory.
constexpr int AHEAD = 32;
// Of a block that has rows in its warps. Few, so that blocks end and start often, and no multiprocessor idles for long.
constexpr int WARP_THREADS = 128;
// Of a block that shares a row, where there is a choice: several blocks fit on a multiprocessor, and while one waits at
// a barrier, the others load and store.
constexpr int GOOD_THREADS = 512;

// What the kernels of an operator keep of a row.
struct Kept {
    int elements;                  // in a thread's registers, by Warp and Block
    bool warp_ahead, block_ahead;  // whether the next row is on its way then, too
    int threads;                   // of a block, at most, where a thread keeps AHEAD elements
    bool block;                    // whether a block alone does that, or a cluster only
    size_t bytes;                  // of shared memory for each element, where the next row is on its way
};

struct Choice {
    Step step;
    dim3 block;           // its threads
    unsigned blocks = 1;  // of a cluster
    int elements = 0;     // that a thread keeps
    bool ahead = false;   // groups go from row to row, and the next one is on its way
    size_t bytes = 0;     // of shared memory for each element then

    size_t shared() const { return ahead ? block.x * block.y * elements * bytes : 0; }
};

// Which threads share a row of n elements. whole: rows are whole packs of 16 bytes, which begin at multiples of 16;
// where they are not, only warps keep rows. Throws std::runtime_error where `step` does not take such rows.
inline Choice choose(Step step, int64_t n, const Kept& kept, bool whole) {
    int device = 0, clusters = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device));
    const auto threads = [&](int elements) { return (n + elements - 1) / elements; };
    const int64_t most_of_warp = 32 * kept.elements, most_of_short = GOOD_THREADS * kept.elements,
                  most_of_block = kept.block ? kept.threads * AHEAD : most_of_short,
                  most_of_cluster = MOST_BLOCKS * kept.threads * AHEAD;
    if (step == Step::automatic)
        step = n <= most_of_warp                           ? Step::warp
               : whole && n <= most_of_block               ? Step::block
               : whole && clusters && n <= most_of_cluster ? Step::cluster
                                                           : Step::online;
    const auto whole_warps = [](int64_t threads) { return dim3(unsigned((threads + 31) / 32 * 32)); };
    if (step == Step::warp && n <= most_of_warp) {
        unsigned lanes = 1;
        while (lanes < threads(kept.elements)) lanes *= 2;
        return {step, dim3(lanes, WARP_THREADS / lanes), 1, kept.elements, kept.warp_ahead && whole, kept.bytes};
    }
    if (step == Step::block && whole && n <= most_of_short)
        return {step, whole_warps(threads(kept.elements)), 1, kept.elements, kept.block_ahead, kept.bytes};
    if (step == Step::block && whole && n <= most_of_block)
        return {step, whole_warps(threads(AHEAD)), 1, AHEAD, true, kept.bytes};
    if (step == Step::cluster && whole && clusters && n <= most_of_cluster) {
        unsigned blocks = 2;
        while (blocks < MOST_BLOCKS && threads(AHEAD) > int64_t(blocks) * std::min(kept.threads, GOOD_THREADS))
            blocks *= 2;
        return {step, whole_warps((threads(AHEAD) + blocks - 1) / blocks), blocks, AHEAD, true, kept.bytes};
    }
    if (step == Step::online) return {step, whole_warps(std::min<int64_t>(threads(kept.elements), GOOD_THREADS))};
    const std::string name = step == Step::warp ? "a warp" : step == Step::block ? "a block" : "a cluster";
    const int64_t most = step == Step::warp ? most_of_warp : step == Step::block ? most_of_block : most_of_cluster;
    throw std::runtime_error("this step does not take rows of " + std::to_string(n) + " elements: " +
                             (n > most ? name + " keeps at most " + std::to_string(most)
                              : !whole ? "they are not whole packs of 16 bytes"
                                       : "this GPU has no clusters") +
                             "; auto takes any");
}

// A launch of so many groups. The attribute makes clusters of neighbouring blocks.
struct Launch {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    Launch(const Choice& choice, int64_t groups, cudaStream_t stream) {
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = choice.blocks, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.gridDim = blocks_for(groups * choice.blocks, 1);
        config.blockDim = choice.block;
        config.dynamicSmemBytes = choice.shared();
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = choice.step == Step::cluster ? 1 : 0;
    }
    Launch(const Launch&) = delete;  // config points to attribute
};

// Groups for these rows: no more than the GPU runs at a time.
template <class Kernel>
int64_t groups_that_fit(Kernel kernel, const Choice& choice, int64_t rows) {
    int device = 0, multiprocessors = 0, fit = 0;
    // More than 48 KiB of shared memory must be asked for.
    CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(choice.shared())));
    if (choice.step == Step::cluster) {
        const Launch one(choice, 1, nullptr);
        CHECK_CUDA(cudaOccupancyMaxActiveClusters(&fit, kernel, &one.config));
    } else {
        CHECK_CUDA(cudaGetDevice(&device));
        CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        const int threads = int(choice.block.x * choice.block.y);
        CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, choice.shared()));
        fit *= multiprocessors;
    }
    return std::min<int64_t>(std::max(fit, 1), blocks_for(rows, int(choice.block.y)));
}

// All groups that the rows need, or as many as go from row to row.
template <class Kernel>
int64_t groups_for(Kernel kernel, const Choice& choice, int64_t rows) {
    return choice.ahead ? groups_that_fit(kernel, choice, rows) : blocks_for(rows, int(choice.block.y));
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Choice& choice, int64_t groups, cudaStream_t stream,
            Arguments... arguments) {
    const Launch l(choice, groups, stream);
    CHECK_CUDA(cudaLaunchKernelEx(&l.config, kernel, Parameters(arguments)...));
}
