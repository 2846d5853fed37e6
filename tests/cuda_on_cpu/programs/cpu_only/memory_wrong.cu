// Kernels that use memory wrongly, each in its own way: `memory_wrong` prints what the memory check says of each, and
// `memory_wrong tree` of that one. The test knows the marked lines: where the access is, and for a race where the other
// one is. tools/maintain/planted.py runs each kernel on a GPU, too, under compute-sanitizer.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <stdexcept>
#include <vector>

// y and x have 128 floats each, which have values; of the 128 of fresh only 32 have. Blocks have 64 threads.
#define KERNEL(name) \
    __global__ void name([[maybe_unused]] float* y, [[maybe_unused]] const float* x, [[maybe_unused]] float* fresh)
#define I threadIdx.x

// ---- races between warps ----

KERNEL(reverse) {
    __shared__ float s[64];
    s[I] = x[I];       // OTHER reverse
    y[I] = s[63 - I];  // LINE reverse
}
KERNEL(tree) {
    __shared__ float s[64];
    s[I] = x[I];
    __syncthreads();
    for (unsigned n = 32; n > 0; n /= 2)
        if (I < n) s[I] += s[I + n];  // LINE tree
    if (I == 0) *y = s[0];
}
KERNEL(tiles) {  // the loop's second barrier is missing
    __shared__ float s[64];
    float sum = 0;
    for (int t = 0; t < 2; t++) {
        s[I] = x[64 * t + I];  // LINE tiles
        __syncthreads();
        sum += s[63 - I];  // OTHER tiles
    }
    y[I] = sum;
}
KERNEL(in_place) {  // read, then write, and no barrier between
    __shared__ float s[64];
    s[I] = x[I];
    __syncthreads();
    const float v = s[63 - I];  // OTHER in_place
    s[I] = 2 * v;               // LINE in_place
    __syncthreads();
    y[I] = s[I];
}
KERNEL(scan) {
    __shared__ float s[64];
    s[I] = x[I];
    for (unsigned n = 1; n < 64; n *= 2) {
        __syncthreads();
        const float v = I >= n ? s[I - n] : 0;  // OTHER scan
        s[I] += v;                              // LINE scan
    }
    y[I] = s[I];
}
KERNEL(dynamic) {
    extern __shared__ float d[];
    d[I] = x[I];       // OTHER dynamic
    y[I] = d[63 - I];  // LINE dynamic
}
KERNEL(broadcast) {
    __shared__ float total;
    if (I == 0) total = *x;  // OTHER broadcast
    y[I] = total;            // LINE broadcast
}
KERNEL(bins_zeroed) {
    __shared__ int bins[64];
    bins[63 - I] = 0;        // LINE bins_zeroed
    atomicAdd(&bins[I], 1);  // OTHER bins_zeroed
    __syncthreads();
    y[I] = bins[I];
}
KERNEL(bins_read) {
    __shared__ int bins[64];
    bins[I] = 0;
    __syncthreads();
    atomicAdd(&bins[63 - I], 1);  // LINE bins_read
    y[I] = bins[I];               // OTHER bins_read
}
KERNEL(guess_unchecked) {  // the thread compares at another address than it has read
    atomicAdd(y, x[I]);    // LINE guess_unchecked
    atomicCAS(reinterpret_cast<int*>(y) + 1 + I, 0, int(y[0]));  // OTHER guess_unchecked
}
KERNEL(through_global) {
    y[I] = x[I];            // OTHER through_global
    y[64 + I] = y[63 - I];  // LINE through_global
}
KERNEL(only_syncwarp) {
    __shared__ float s[64];
    s[I] = x[I];  // OTHER only_syncwarp
    __syncwarp();
    y[I] = s[63 - I];  // LINE only_syncwarp
}
__device__ unsigned queue;
KERNEL(work_queue) {  // the next item comes before all have read this one
    __shared__ unsigned item;
    while (true) {
        if (I == 0) item = atomicInc(&queue, 2);  // OTHER work_queue
        __syncthreads();
        const unsigned mine = item;  // LINE work_queue
        if (mine == 2) break;
        y[64 * mine + I] = x[I];
    }
}
KERNEL(bytes) {  // neighbours share a byte
    __shared__ unsigned char s[68];
    s[I] = 1;
    s[I + 1] = (unsigned char)(2 + I);  // LINE bytes
    __syncthreads();
    y[I] = s[I];
}
KERNEL(vectors) {
    if (I < 2) reinterpret_cast<float4*>(y)[I] = make_float4(I, 2, 3, 4);  // OTHER vectors
    if (I >= 32 && I < 40) y[I - 32] = 5;                                  // LINE vectors
}
KERNEL(zeroed) {
    __shared__ float s[64];
    memset(&s[I], 0, sizeof *s);  // OTHER zeroed
    y[I] = s[63 - I];             // LINE zeroed
}
KERNEL(streamed) {
    __stcs(&y[I], x[I]);             // OTHER streamed
    y[64 + I] = __ldcs(&y[63 - I]);  // LINE streamed
}
KERNEL(vectors_of_ptx) {
    if (I < 2) asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(&y[4 * I]), "f"(3.0f) : "memory");
    float a, b, c, d;
    if (I >= 32 && I < 34) {
        asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"  // LINE vectors_of_ptx
                     : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                     : "l"(&y[4 * (I - 32)]));
        y[I] = a + b + c + d;
    }
}

// ---- CUB ----

KERNEL(reduce_again) {  // and no barrier before the storage serves again
    using Reduce = cub::BlockReduce<float, 64>;
    __shared__ typename Reduce::TempStorage storage;
    const float sum = Reduce(storage).Sum(x[I]);             // OTHER reduce_again
    const float squares = Reduce(storage).Sum(x[I] * x[I]);  // LINE reduce_again
    if (I == 0) *y = squares - sum * sum;
}
KERNEL(scan_again) {
    using Scan = cub::BlockScan<float, 64>;
    __shared__ typename Scan::TempStorage storage;
    float sum;
    Scan(storage).InclusiveSum(x[I], sum);  // LINE scan_again
    Scan(storage).InclusiveSum(sum, sum);   // OTHER scan_again
    y[I] = sum;
}
KERNEL(load_behind) {
    using Load = cub::BlockLoad<float, 64, 3>;
    __shared__ typename Load::TempStorage storage;
    float items[3];
    Load(storage).Load(x, items);  // LINE load_behind
    y[I] = items[0];
}

// ---- races in a warp ----

KERNEL(in_a_warp) {
    __shared__ float s[32];
    s[I % 32] = x[I % 32];  // OTHER in_a_warp
    y[I] = s[31 - I % 32];  // LINE in_a_warp
}
KERNEL(across_a_shuffle) {  // a shuffle does not order memory
    __shared__ float s[64];
    s[I] = x[I];  // OTHER across_a_shuffle
    const float v = __shfl_xor_sync(~0u, x[I], 1);
    y[I] = v + s[I ^ 1];  // LINE across_a_shuffle
}
KERNEL(across_a_ballot) {
    __shared__ float s[64];
    s[I] = x[I];                                      // OTHER across_a_ballot
    if (__any_sync(~0u, x[I] >= 0)) y[I] = s[I ^ 1];  // LINE across_a_ballot
}
KERNEL(old_style) {  // warps in step, as before Volta
    __shared__ volatile float s[64];
    s[I] = x[I];
    __syncthreads();
    if (I < 16) {
        s[I] = s[I] + s[I + 16];  // OTHER old_style
        s[I] = s[I] + s[I + 8];   // LINE old_style
        y[I] = s[I];
    }
}
KERNEL(old_style_in_global) {
    volatile float* const v = y;
    if (I < 16) {
        v[I] = v[I] + v[I + 16];  // LINE old_style_in_global
        v[I] = v[I] + v[I + 8];   // OTHER old_style_in_global
    }
}
KERNEL(half_a_warp) {
    __shared__ float s[64];
    s[I] = x[I];  // OTHER half_a_warp
    __syncwarp(I % 32 < 16 ? 0x0000ffff : 0xffff0000);
    y[I] = s[I ^ 16];  // LINE half_a_warp
}
KERNEL(half_reads) {  // one half waits for itself, and then writes what the other half may still read
    __shared__ float s[2];
    float& of_warp = s[I / 32];
    if (I % 32 == 0) of_warp = x[I];
    __syncwarp();
    y[I] = of_warp;  // OTHER half_reads
    if (I % 32 < 16) return;
    __syncwarp(0xffff0000);
    if (I % 32 == 16) of_warp = 1;  // LINE half_reads
}

// ---- missing atomics ----

KERNEL(sum) { *y += x[I]; }  // LINE sum
KERNEL(shared_bins) {
    __shared__ int bins[4];
    if (I < 4) bins[I] = 0;
    __syncthreads();
    bins[I % 4]++;  // LINE shared_bins
    __syncthreads();
    if (I < 4) atomicAdd(&y[I], float(bins[I]));
}
KERNEL(largest) {
    if (I == 0 && *y <= blockIdx.x) *y = blockIdx.x + 1;  // LINE largest
}
KERNEL(count_blocks) {
    if (I == 0) y[3] = y[3] + 1;  // LINE count_blocks
}
KERNEL(ten_lines) {
    y[0] += x[I];  // LINE ten_lines
    y[1] += x[I];
    y[2] += x[I];
    y[3] += x[I];
    y[4] += x[I];
    y[5] += x[I];
    y[6] += x[I];
    y[7] += x[I];
    y[8] += x[I];
    y[9] += x[I];
}
KERNEL(half_atomic) {
    if (blockIdx.x == 0) atomicAdd(y, 1.0f);  // OTHER half_atomic
    if (blockIdx.x == 1 && I == 0) *y = 0;    // LINE half_atomic
}
KERNEL(half_cuda_atomic) {
    cuda::atomic_ref<float, cuda::thread_scope_device>(y[0]).fetch_add(x[I]);  // LINE half_cuda_atomic
    if (I == 32) *y = 0;                                                       // OTHER half_cuda_atomic
}
KERNEL(volatile_count) {
    volatile float* const count = y;
    *count = *count + 1;  // LINE volatile_count
}

// ---- races between blocks ----

KERNEL(in_place_stencil) {
    const int i = blockIdx.x * blockDim.x + I;
    const float v = i < 127 ? y[i + 1] : 0;  // OTHER in_place_stencil
    __syncthreads();
    y[i] = v;  // LINE in_place_stencil
}
KERNEL(both_write) { y[I] = blockIdx.x; }  // LINE both_write
KERNEL(needs_grid_barrier) {
    const int i = blockIdx.x * blockDim.x + I;
    y[i] = x[i];  // OTHER needs_grid_barrier
    __syncthreads();
    if (blockIdx.x == 1) y[i] += y[i - 64];  // LINE needs_grid_barrier
}
__device__ unsigned arrived;
KERNEL(last_block) {  // no __threadfence()
    __shared__ bool is_last;
    if (I == 0) {
        y[blockIdx.x] = x[blockIdx.x];  // OTHER last_block
        is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && I == 0) y[2] = y[0] + y[1];  // LINE last_block
}
__device__ unsigned counted;
KERNEL(last_block_of_many) {  // the fence of one thread, and no barrier before it
    __shared__ bool is_last;
    y[blockIdx.x * 64 + I] = x[I];  // OTHER last_block_of_many
    if (I == 0) {
        __threadfence();
        is_last = atomicInc(&counted, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) y[I] += y[127 - I];  // LINE last_block_of_many
}
__device__ unsigned passed;
KERNEL(last_block_barrier) {  // a barrier of a block is no fence
    __shared__ bool is_last;
    y[blockIdx.x * 64 + I] = x[I];  // OTHER last_block_barrier
    __syncthreads();
    if (I == 0) is_last = atomicInc(&passed, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last) y[I] += y[127 - I];  // LINE last_block_barrier
}
__device__ unsigned added;
KERNEL(last_block_reads_early) {  // no fence after the ticket
    __shared__ bool is_last;
    if (I == 0) {
        y[blockIdx.x] = x[blockIdx.x];  // OTHER last_block_reads_early
        __threadfence();
        is_last = atomicInc(&added, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && I == 0) y[2] = y[0] + y[1];  // LINE last_block_reads_early
}
__device__ int lock;
KERNEL(lock_reads_early) {  // no fence after the lock is taken
    if (I > 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    y[0] += x[blockIdx.x];  // LINE lock_reads_early
    __threadfence();
    atomicExch(&lock, 0);
}
KERNEL(after_grid_barrier) {
    cooperative_groups::this_grid().sync();
    if (I == 63) *y = blockIdx.x;  // LINE after_grid_barrier
}
__device__ volatile int flag;
KERNEL(flag_without_fence) {
    if (I > 0) return;
    if (blockIdx.x == 0) {
        y[0] = 7;  // OTHER flag_without_fence
        flag = 1;
    } else {
        while (flag == 0) {
        }
        y[1] = y[0];  // LINE flag_without_fence
    }
}
__device__ volatile int told;
KERNEL(flag_reads_early) {  // no fence after the flag is seen
    if (I > 0) return;
    if (blockIdx.x == 0) {
        y[0] = 7;  // OTHER flag_reads_early
        __threadfence();
        told = 1;
    } else {
        while (told == 0) {
        }
        y[1] = y[0];  // LINE flag_reads_early
    }
}
__device__ volatile int late;
KERNEL(stored_behind_the_fence) {
    if (I > 0) return;
    if (blockIdx.x == 0) {
        __threadfence();
        y[0] = 7;  // OTHER stored_behind_the_fence
        late = 1;
    } else {
        while (late == 0) {
        }
        __threadfence();
        y[1] = y[0];  // LINE stored_behind_the_fence
    }
}
__device__ unsigned known;
KERNEL(known_to_another_block) {  // the second asks, and the third does not
    if (blockIdx.x == 0 && I == 0) {
        y[0] = 7;  // OTHER known_to_another_block
        __threadfence();
    }
    if (blockIdx.x < 2 && I == 0) atomicAdd(&known, 1);
    __syncthreads();
    if (blockIdx.x == 2 && I == 0) y[1] = y[0];  // LINE known_to_another_block
}
__device__ int loaded;
KERNEL(flag_that_nobody_stores) {  // both only look at it
    if (I > 0) return;
    const cuda::atomic_ref<int, cuda::thread_scope_device> flag(loaded);
    if (blockIdx.x == 0) {
        y[0] = 7;  // OTHER flag_that_nobody_stores
        (void)flag.load();
    } else if (flag.load() == 0) {
        y[1] = y[0];  // LINE flag_that_nobody_stores
    }
}
__cluster_dims__(2) KERNEL(cluster_too_early) {
    __shared__ float s[64];
    const auto cluster = cooperative_groups::this_cluster();
    s[I] = x[I];  // OTHER cluster_too_early
    __syncthreads();
    y[64 * blockIdx.x + I] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[63 - I];  // LINE cluster_too_early
    cluster.sync();
}
__cluster_dims__(2) KERNEL(cluster_unmet) {
    __shared__ float s[64];
    const auto cluster = cooperative_groups::this_cluster();
    cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[I] = x[I];  // LINE cluster_unmet
    cluster.sync();
    y[64 * blockIdx.x + I] = s[I];
}
__cluster_dims__(2) KERNEL(after_cluster_barrier) {
    cooperative_groups::this_cluster().sync();
    if (I == 63) *y = blockIdx.x;  // LINE after_cluster_barrier
}

// ---- memory without a value ----

KERNEL(bins_not_zeroed) {
    __shared__ int bins[64];
    atomicAdd(&bins[I], 1);  // LINE bins_not_zeroed
    __syncthreads();
    y[I] = bins[I];
}
KERNEL(tail) {
    __shared__ float s[64];
    if (I < 50) s[I] = x[I];
    __syncthreads();
    y[I] = s[63 - I];  // LINE tail
}
KERNEL(of_an_earlier_block) {
    __shared__ float s[64];
    if (blockIdx.x == 0) s[I] = x[I];
    __syncthreads();
    y[blockIdx.x * 64 + I] = s[I];  // LINE of_an_earlier_block
}
KERNEL(dynamic_unset) {
    extern __shared__ float d[];
    if (I > 0) d[I] = 1;
    __syncthreads();
    if (I == 5) *y = d[0];  // LINE dynamic_unset
}
KERNEL(fresh_sum) { atomicAdd(&fresh[127], x[I]); }                                    // LINE fresh_sum
KERNEL(fresh_read) { y[I] = fresh[64 + I]; }                                           // LINE fresh_read
KERNEL(fresh_byte) { y[I] = reinterpret_cast<const unsigned char*>(fresh)[200 + I]; }  // LINE fresh_byte

// ---- out of bounds ----

KERNEL(behind) { y[2 * I + 2] = 1; }                           // LINE behind
KERNEL(before) { y[I] = x[int(I) - 1]; }                       // LINE before
KERNEL(far_behind) { y[I] = x[I + 1000]; }                     // LINE far_behind
KERNEL(half_out) { reinterpret_cast<double*>(y)[I + 1] = 1; }  // LINE half_out
struct Three {
    float values[3];
};
KERNEL(part_behind) {
    if (I < 43) reinterpret_cast<Three*>(y)[I] = reinterpret_cast<const Three*>(x)[I];  // LINE part_behind
}
KERNEL(atomic_behind) { atomicAdd(&y[I + 65], 1.0f); }  // LINE atomic_behind
KERNEL(shared_behind) {
    __shared__ float s[64];
    s[I + 1] = x[I];  // LINE shared_behind
    y[I] = s[I];
}
KERNEL(row_behind) {  // the next row, which the column may not reach
    __shared__ float s[8][8];
    s[I / 8][I % 8 + 1] = x[I];  // LINE row_behind
    y[I] = s[I / 8][I % 8];
}
struct Row {
    float v[8];
};
KERNEL(member_behind) {
    reinterpret_cast<Row*>(y)[I / 8].v[I % 8 + 1] = x[I];  // LINE member_behind
}
KERNEL(dynamic_behind) {
    extern __shared__ float d[];
    d[I + 1] = x[I];  // LINE dynamic_behind
    y[I] = d[I];
}
KERNEL(null) {
    const float* volatile nothing = nullptr;
    y[I] = nothing[I + 25];  // LINE null
}

// ---- misaligned ----

struct alignas(16) Four {
    float v[4];
};
KERNEL(float4_off) { y[I] = reinterpret_cast<const float4*>(x + 1)[I % 8].x; }       // LINE float4_off
KERNEL(float2_off) { reinterpret_cast<float2*>(y + 1)[I % 8] = make_float2(1, 2); }  // LINE float2_off
KERNEL(double_off) { y[I] = *reinterpret_cast<const double*>(x + 1); }               // LINE double_off
KERNEL(own_struct_off) { y[I] = reinterpret_cast<const Four*>(x + 2)[I % 8].v[0]; }  // LINE own_struct_off
KERNEL(shared_off) {
    __shared__ alignas(16) float s[64];
    s[I] = x[I];
    __syncthreads();
    y[I] = reinterpret_cast<const float4*>(s + 3)[I / 16].x;  // LINE shared_off
}

// ---- memory of the host, or freed ----

KERNEL(hosts_heap) { y[I] = x[I]; }   // LINE hosts_heap
KERNEL(hosts_stack) { y[I] = x[I]; }  // LINE hosts_stack
KERNEL(freed) { y[I] = x[I]; }        // LINE freed

// ---- barriers ----

__device__ void meet() { __syncthreads(); }
KERNEL(two_calls) {  // of one barrier
    if (I < 32) {
        y[I] = 1;
        meet();  // OTHER two_calls
    } else {
        y[I] = x[I];
        meet();  // LINE two_calls
    }
}

KERNEL(two_branches) {
    if (I % 2) {
        y[I] = 1;
        __syncthreads();  // OTHER two_branches
    } else {
        y[I] = x[I];
        __syncthreads();  // LINE two_branches
    }
}
KERNEL(barrier_and_warp) {
    if (I < 40)
        __syncthreads();  // OTHER barrier_and_warp
    else
        __syncwarp();  // LINE barrier_and_warp
}
KERNEL(left_out) {
    __syncthreads();
    if (I < 16) {
        y[I] = 1;
        __syncthreads();  // LINE left_out
    }
}
KERNEL(not_in_mask) { __syncwarp(1); }  // LINE not_in_mask
KERNEL(one_line) {                      // two barriers
    // clang-format off
    if (I < 32) { y[I] = 1; __syncthreads(); } else { y[I] = x[I]; __syncthreads(); }
    // clang-format on
}

// ---- values that are nobody's ----

KERNEL(lane_without_a_value) {  // lane 20 is not in the mask
    if (I < 16) y[I] = __shfl_sync(0xffff, x[I], 20);
}
KERNEL(another_array) {
    __shared__ float a[64], b[64];
    a[I] = b[I] = x[I];
    __syncthreads();
    const float* volatile p = a, * volatile q = b;
    y[I] = (p < q ? p : q)[I + 64];
}

struct Case {
    const char* name;
    void (*kernel)(float*, const float*, float*);
    unsigned blocks;
};
#define CASE(name, blocks) {#name, name, blocks}
const Case cases[] = {
    CASE(reverse, 1),
    CASE(tree, 1),
    CASE(tiles, 1),
    CASE(in_place, 1),
    CASE(scan, 1),
    CASE(dynamic, 1),
    CASE(broadcast, 1),
    CASE(bins_zeroed, 1),
    CASE(bins_read, 1),
    CASE(guess_unchecked, 1),
    CASE(through_global, 1),
    CASE(only_syncwarp, 1),
    CASE(work_queue, 1),
    CASE(bytes, 1),
    CASE(vectors, 1),
    CASE(vectors_of_ptx, 1),
    CASE(zeroed, 1),
    CASE(streamed, 1),
    CASE(reduce_again, 1),
    CASE(scan_again, 1),
    CASE(load_behind, 1),
    CASE(in_a_warp, 1),
    CASE(across_a_shuffle, 1),
    CASE(across_a_ballot, 1),
    CASE(old_style, 1),
    CASE(old_style_in_global, 1),
    CASE(half_a_warp, 1),
    CASE(half_reads, 1),
    CASE(sum, 2),
    CASE(ten_lines, 1),
    CASE(shared_bins, 2),
    CASE(largest, 2),
    CASE(count_blocks, 2),
    CASE(half_atomic, 2),
    CASE(half_cuda_atomic, 1),
    CASE(volatile_count, 2),
    CASE(in_place_stencil, 2),
    CASE(both_write, 2),
    CASE(needs_grid_barrier, 2),
    CASE(last_block, 2),
    CASE(last_block_of_many, 2),
    CASE(last_block_barrier, 2),
    CASE(last_block_reads_early, 2),
    CASE(lock_reads_early, 2),
    CASE(after_grid_barrier, 2),
    CASE(flag_without_fence, 2),
    CASE(flag_reads_early, 2),
    CASE(stored_behind_the_fence, 2),
    CASE(known_to_another_block, 3),
    CASE(flag_that_nobody_stores, 2),
    CASE(cluster_too_early, 2),
    CASE(cluster_unmet, 2),
    CASE(after_cluster_barrier, 2),
    CASE(bins_not_zeroed, 1),
    CASE(tail, 1),
    CASE(of_an_earlier_block, 2),
    CASE(dynamic_unset, 1),
    CASE(fresh_sum, 1),
    CASE(fresh_read, 1),
    CASE(fresh_byte, 1),
    CASE(behind, 1),
    CASE(before, 1),
    CASE(far_behind, 1),
    CASE(half_out, 1),
    CASE(part_behind, 1),
    CASE(atomic_behind, 1),
    CASE(shared_behind, 1),
    CASE(row_behind, 1),
    CASE(member_behind, 1),
    CASE(dynamic_behind, 1),
    CASE(null, 1),
    CASE(float4_off, 1),
    CASE(float2_off, 1),
    CASE(double_off, 1),
    CASE(own_struct_off, 1),
    CASE(shared_off, 1),
    CASE(hosts_heap, 1),
    CASE(hosts_stack, 1),
    CASE(freed, 1),
    CASE(two_calls, 1),
    CASE(two_branches, 1),
    CASE(barrier_and_warp, 1),
    CASE(left_out, 1),
    CASE(not_in_mask, 1),
    CASE(one_line, 1),
    CASE(lane_without_a_value, 1),
    CASE(another_array, 1),
};

float* device_memory(bool with_values) {
    float* p = nullptr;
    cudaMalloc(&p, 128 * sizeof(float));
    if (with_values) cudaMemset(p, 0, 128 * sizeof(float));
    return p;
}

template <class F>
void say(const char* name, F f) {
    try {
        f();
        cudaDeviceSynchronize();
        std::printf("%s: nothing\n", name);
    } catch (const std::runtime_error& error) {
        std::printf("%s: %s\n", name, error.what());
    }
}

int main(int argc, char** argv) {
    const char* const only = argc > 1 ? argv[1] : nullptr;
    float *y = device_memory(true), *x = device_memory(true);
    if (only && std::strcmp(only, "host") == 0) {  // the host uses a kernel's memory
        std::vector<float> host(128);
        say("copy_beyond", [&] { cudaMemcpy(host.data(), x, 129 * sizeof(float), cudaMemcpyDeviceToHost); });
        say("wrong_kind", [&] { cudaMemcpy(host.data(), x, 4, cudaMemcpyHostToDevice); });
        say("wrong_kind_too", [&] { cudaMemcpy(y, x, 4, cudaMemcpyDeviceToHost); });
        say("set_beyond", [&] { cudaMemset(y + 100, 0, 29 * sizeof(float)); });
        cudaFree(y);
        say("freed_twice", [&] { cudaFree(y); });
        say("never_allocated", [&] { cudaFree(x + 1); });
        std::printf("%f\n", double(x[3]));  // LINE on_the_host
        return 0;
    }
    std::vector<float> heap(1 << 20);
    float stack[128] = {};
    for (const Case& c : cases) {
        if (only && std::strcmp(only, c.name) != 0) continue;
        const float* in = c.kernel == hosts_heap ? heap.data() : c.kernel == hosts_stack ? stack : x;
        float *fresh = device_memory(false), *gone = device_memory(true);
        cudaMemset(fresh, 0, 32 * sizeof(float));
        if (c.kernel == freed) freed<<<1, 64>>>(y, gone, fresh);  // right until then
        cudaFree(gone);
        cudaMemset(y, 0, 128 * sizeof(float));
        if (c.kernel == freed) in = gone;
        void* arguments[] = {&y, &in, &fresh};
        say(c.name, [&] {
            if (c.kernel == after_grid_barrier)
                cudaLaunchCooperativeKernel(c.kernel, c.blocks, 64, arguments);
            else
                c.kernel<<<c.blocks, 64, 64 * sizeof(float)>>>(y, in, fresh);
        });
    }
}
