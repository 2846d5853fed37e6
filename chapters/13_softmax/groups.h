// groups.h: the threads that share a row, and how they find its maximum and its sums. No torch header in here.
#pragma once
#include <cuda_runtime.h>

#include <cfloat>
#include <cuda/ptx>

constexpr int MOST_THREADS = 1024;  // of a block, CUDA's limit
constexpr int MOST_BLOCKS = 16;     // of a cluster, on an H200; any GPU that has clusters allows 8

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

// At most 32 parts of a row together; 32 lanes call it. The larger of two maxima is that of both, and the other sum
// shrinks.
__device__ inline MaxSum combined(const MaxSum* parts, int count) {
    const int lane = int(threadIdx.x) % 32;
    const MaxSum part = lane < count ? parts[lane] : MaxSum{-FLT_MAX, 0};
    const float max = warp_max(part.max);
    return {max, warp_sum(part.sum * expf(part.max - max))};
}

// The same for two sums. Where an operator needs one, the other is 0.
__device__ inline float2 combined(const float2* parts, int count) {
    const int lane = int(threadIdx.x) % 32;
    const float2 part = lane < count ? parts[lane] : float2{0, 0};
    return {warp_sum(part.x), warp_sum(part.y)};
}

// ---- the groups ----------------------------------------------------------------------------------------------------

// The size() threads that share a row; lanes() of them are in one warp, and this thread is number rank(). All threads
// of a block make a group, once. It takes the rows row(), row() + rows_at_a_time() and so on. combine() takes what this
// warp has found of the row, and returns what all warps of the group have.

// A warp, or 1, 2, 4, 8 or 16 of its lanes: blockDim.x of them. A block has blockDim.y rows.
struct Warp {
    __device__ int lanes() const { return int(blockDim.x); }
    __device__ int rank() const { return int(threadIdx.x); }
    __device__ int size() const { return int(blockDim.x); }
    __device__ int64_t row() const { return int64_t(blockIdx.x) * blockDim.y + threadIdx.y; }
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
    __device__ int64_t row() const { return blockIdx.x; }
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
template <int threads>
struct Cluster : Block {  // these GPUs have no clusters: no launcher takes it there
    template <class Part>
    __device__ void send(Part) {}
    template <class Part>
    __device__ Part receive() {
        return {};
    }
};
#else
// The blocks of a cluster exchange parts in two steps, between which a block can do something else: send() writes this
// block's part into the shared memory of all blocks, receive() returns what all have sent. When the first thread has
// received a row's parts, others may still wait for them: so rows use two slots in turn. A block cannot be two rows
// ahead. It sends row i when it has received row i - 1, and each block sends that one after all its warps have received
// row i - 2.
//
// A slot has a barrier, an "mbarrier", which counts the bytes that come: st_async() writes a number, and tells the
// barrier beside it. The cluster's own barrier would do, too, but slowly: before a thread arrives there, it waits until
// all that it has ever stored is in memory, results of rows included.
//
// All blocks have `threads` threads, however short the row, so nvcc knows where a thread's places in shared memory are.
template <int threads>
struct Cluster {
    static constexpr int SLOTS = 2;
    int received = 0;  // rows

    __device__ Cluster() {
        if (threadIdx.x == 0) {
            for (int slot = 0; slot < SLOTS; slot++) cuda::ptx::mbarrier_init(barrier(slot), 1);
            cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
        }
        __cluster_barrier_arrive();
        __cluster_barrier_wait();  // all blocks have started, and have barriers
    }

    __device__ int blocks() const { return int(__clusterSizeInBlocks()); }
    __device__ int block() const { return int(__clusterRelativeBlockRank()); }
    __device__ int lanes() const { return 32; }
    __device__ int rank() const { return block() * threads + int(threadIdx.x); }
    __device__ int size() const { return blocks() * threads; }
    __device__ int64_t row() const { return int(blockIdx.x) / blocks(); }
    __device__ int64_t rows_at_a_time() const { return int(gridDim.x) / blocks(); }

    template <class Part>
    __device__ void send(Part mine) {
        __shared__ Part of_warps[SLOTS][32];  // slots in turn: no block sends row 2 before all have received row 0
        const int slot = received % SLOTS, to = int(threadIdx.x);
        Part* const of_row = of_warps[slot];
        if (threadIdx.x % 32 == 0) of_row[threadIdx.x / 32] = mine;
        __syncthreads();
        if (threadIdx.x >= 32) return;
        mine = combined(of_row, threads / 32);
        if (blocks() == 1 && to == 0) parts<Part>(slot)[0] = mine;  // receive() waits at the block's barrier
        if (blocks() == 1) return;
        if (to == 0)  // the phase ends when this block has arrived and all parts have come, which some may have by now
            cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                                 barrier(slot), unsigned(blocks() * sizeof(Part)));
        if (to < blocks())  // thread i writes to block i, where everything has the same place
            cuda::ptx::st_async(in_block(to, parts<Part>(slot) + block()), mine, in_block(to, barrier(slot)));
    }

    template <class Part>
    __device__ Part receive() {
        const int slot = received % SLOTS, parity = received / SLOTS % 2;
        received++;
        if (blocks() == 1) __syncthreads();
        while (blocks() > 1 && !cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster,
                                                                    barrier(slot), unsigned(parity))) {
        }
        return combined(parts<Part>(slot), blocks());
    }

private:
    __device__ static uint64_t* barrier(int slot) {
        __shared__ uint64_t barriers[SLOTS];
        return &barriers[slot];
    }
    template <class Part>
    __device__ static Part* parts(int slot) {  // of all blocks
        __shared__ Part all[SLOTS][MOST_BLOCKS];
        return all[slot];
    }
    template <class T>
    __device__ static T* in_block(int rank, T* p) {
        return static_cast<T*>(__cluster_map_shared_rank(p, unsigned(rank)));
    }
};
#endif
