// groups.h: the threads that share a row, and how they find its maximum and its sums. No torch header in here.
#pragma once
#include <cuda_runtime.h>

#include <cfloat>

constexpr int MOST_THREADS = 1024;  // of a block, CUDA's limit
constexpr int MOST_BLOCKS = 8;      // of a cluster, on any GPU that has clusters

// ---- across the lanes of a warp ------------------------------------------------------------------------------------

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

// ---- across warps: each has found something of its part of the row -------------------------------------------------

// The largest element of the part, and the sum of exp(element - max) over its elements. A part with no element, or with
// -infinity alone, has the lowest finite number as its largest: -infinity - -infinity would be NaN.
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

// The same for two sums. Where an operator needs one, the other is 0.
__device__ inline float2 combined(const float2* parts, int count) {
    float2 sums = {0, 0};
    for (int i = int(threadIdx.x) % 32; i < count; i += 32) sums.x += parts[i].x, sums.y += parts[i].y;
    return {warp_sum(sums.x), warp_sum(sums.y)};
}

// ---- the groups ----------------------------------------------------------------------------------------------------

// The size() threads that share a row; lanes() of them are in one warp, and this thread is number rank(). All threads
// of a block make a group, once. It takes the rows first_row(), first_row() + rows_at_a_time() and so on. In a block of
// several rows, which only Warp has, each number is that of the block's first row, and threadIdx.y is added to it.
// combine() takes what this warp has found of the row, and returns what all warps of the group have.

// A warp, or 1, 2, 4, 8 or 16 of its lanes: blockDim.x of them. A block has blockDim.y rows.
struct Warp {
    __device__ int lanes() const { return int(blockDim.x); }
    __device__ int rank() const { return int(threadIdx.x); }
    __device__ int size() const { return int(blockDim.x); }
    __device__ int64_t first_row() const { return int64_t(blockIdx.x) * blockDim.y; }
    __device__ int64_t rows_at_a_time() const { return int64_t(gridDim.x) * blockDim.y; }

    template <class Part>
    __device__ Part combine(Part mine) const {
        return mine;
    }
};

struct Block {
    __device__ int lanes() const { return 32; }
    __device__ int rank() const { return int(threadIdx.x); }
    __device__ int size() const { return int(blockDim.x); }
    __device__ int64_t first_row() const { return blockIdx.x; }
    __device__ int64_t rows_at_a_time() const { return gridDim.x; }

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

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
struct Cluster : Block {};  // these GPUs have no clusters: no launcher takes it there
#else
// Each warp writes what it has found into the shared memory of every block, so that each block reads its own. A block
// may not write to another one that has not started yet, or still reads the last parts: each block arrives at the
// cluster's barrier when it is ready for that, and waits there for the others before it writes. (These are the
// functions that cooperative groups are made of, without their header, which takes nvcc longer than this chapter.)
struct Cluster {
    __device__ Cluster() { __cluster_barrier_arrive(); }  // this block has started
    __device__ ~Cluster() { __cluster_barrier_wait(); }   // every arrival needs its wait

    __device__ int blocks() const { return int(__clusterSizeInBlocks()); }
    __device__ int block() const { return int(__clusterRelativeBlockRank()); }
    __device__ int lanes() const { return 32; }
    __device__ int rank() const { return block() * int(blockDim.x) + int(threadIdx.x); }
    __device__ int size() const { return blocks() * int(blockDim.x); }
    __device__ int64_t first_row() const { return int(blockIdx.x) / blocks(); }
    __device__ int64_t rows_at_a_time() const { return int(gridDim.x) / blocks(); }

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
};
#endif
