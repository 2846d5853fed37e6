// Kernels that use memory rightly, in ways that a careless check takes for mistakes: the memory check says nothing of
// any, or of the one that is named. tools/maintain/planted.py runs each on a GPU, too.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda_pipeline.h>
#include <new>

namespace cg = cooperative_groups;

// y and x have 128 floats each; 2 blocks of 64 threads.
#define KERNEL(name) __global__ void name([[maybe_unused]] float* y, [[maybe_unused]] const float* x)
#define I threadIdx.x
#define G (blockIdx.x * blockDim.x + threadIdx.x)

// ---- right kernels ----

KERNEL(tree) {
    __shared__ float s[64];
    s[I] = x[G];
    for (unsigned n = 32; n > 0; n /= 2) {
        __syncthreads();
        if (I < n) s[I] += s[I + n];
    }
    if (I == 0) y[blockIdx.x] = s[0];
}
KERNEL(tiles) {  // the array is used again: two barriers a round
    __shared__ float s[64];
    float sum = 0;
    for (int t = 0; t < 2; t++) {
        s[I] = x[64 * t + I];
        __syncthreads();
        sum += s[63 - I];
        __syncthreads();
    }
    y[G] = sum;
}
KERNEL(early_return) {  // before the first barrier: a barrier waits for those that have not returned
    __shared__ float s[64];
    if (I >= 40) return;
    s[I] = x[G];
    __syncthreads();
    y[G] = s[39 - I];
    __syncthreads();
    if (I < 32) y[G] += s[I];
}
KERNEL(two_buffers) {  // one barrier a round
    __shared__ float s[2][64];
    float sum = 0;
    for (int t = 0; t < 4; t++) {
        s[t % 2][I] = x[32 * (t % 2) + I];
        __syncthreads();
        sum += s[t % 2][63 - I];
    }
    y[G] = sum;
}
KERNEL(atomics) {
    atomicAdd(y, x[G]);
    atomicMax(reinterpret_cast<int*>(y) + 1, int(I));
    atomicCAS(reinterpret_cast<int*>(y) + 2, 0, 1);
}
__device__ double add(double* sum, double value) {  // as in NVIDIA's guide: the first read is a guess
    auto* const bits = reinterpret_cast<unsigned long long*>(sum);
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
KERNEL(guesses) {
    __shared__ int largest;
    if (I == 0) largest = 0;
    __syncthreads();
    int seen, guess = largest;
    while ((seen = atomicCAS(&largest, guess, max(guess, int(I)))) != guess) guess = seen;
    for (int k = 0; k < 2; k++) add(reinterpret_cast<double*>(y), x[G]);
}
KERNEL(guess_overtaken) {  // thread 32 comes between the guess of thread 0 and its comparison
    __shared__ int total;
    __shared__ volatile bool guessed, changed;
    if (I == 0) total = 0, guessed = changed = false;
    __syncthreads();
    if (I == 0) {
        const int guess = total;
        guessed = true;
        while (!changed) {
        }
        if (const int seen = atomicCAS(&total, guess, 1); seen != guess) atomicCAS(&total, seen, seen + 1);
    }
    if (I == 32) {
        while (!guessed) {
        }
        atomicCAS(&total, 0, 1);
        changed = true;
    }
}
KERNEL(bins) {
    __shared__ int bins[8];
    if (I < 8) bins[I] = 0;
    __syncthreads();
    atomicAdd(&bins[I % 8], 1);
    __syncthreads();
    if (I < 8) atomicAdd(&y[I], float(bins[I]));
}
KERNEL(same_value) {  // no matter who comes last
    __shared__ int any;
    any = 0;
    __syncthreads();
    if (x[G] >= 0) any = 1;
    __syncthreads();
    y[2] = any;  // both blocks
}
KERNEL(bytes) {  // neighbours in one word
    __shared__ unsigned char s[64];
    s[I] = (unsigned char)I;
    reinterpret_cast<unsigned char*>(y)[G] = s[I];
}
KERNEL(bytes_and_words) {  // of one array, in different places
    __shared__ unsigned s[64];
    auto* const parts = reinterpret_cast<unsigned char*>(s);
    if (I < 32)
        s[32 + I] = I;
    else
        parts[I] = 1;
    y[G] = I < 32 ? s[32 + I] : parts[I];
}
KERNEL(halves) {
    __shared__ unsigned short s[64];
    s[I] = (unsigned short)(I + 1);
    __syncthreads();
    y[G] = s[63 - I];
}
KERNEL(warp_tree) {
    __shared__ float s[64];
    s[I] = x[I];
    __syncwarp();
    for (unsigned n = 16; n > 0; n /= 2) {
        const float v = I % 32 < n ? s[I + n] : 0;
        __syncwarp();
        if (I % 32 < n) s[I] += v;
        __syncwarp();
    }
    if (I % 32 == 0) y[G] = s[I];
}
KERNEL(part_of_a_warp) {
    __shared__ float s[64];
    if (I % 32 >= 8) return;
    s[I] = x[I];
    __syncwarp(0xff);
    y[G] = s[I ^ 7];
}
KERNEL(two_halves) {  // what one half knows, the other learns from a lane of both
    __shared__ float s[64];
    const unsigned lane = I % 32;
    s[I] = x[I];
    __syncwarp(lane < 16 ? 0x0000ffff : 0xffff0000);
    if (lane == 0 || lane == 16) __syncwarp(0x00010001);
    if (lane == 0) y[G] = s[I + 20] + s[I + 5];
}
KERNEL(warp_sums) {
    __shared__ float sums[2];
    float v = x[G];
    for (int n = 16; n > 0; n /= 2) v += __shfl_down_sync(~0u, v, n);
    if (I % 32 == 0) sums[I / 32] = v;
    __syncthreads();
    if (I == 0) y[blockIdx.x] = sums[0] + sums[1];
}
KERNEL(tile) {
    __shared__ float s[64];
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[I] = x[I];
    tile.sync();
    y[G] = s[I ^ 15];
    cg::this_thread_block().sync();
    s[63 - I] = 1;
}
KERNEL(large_tile) {
    __shared__ float s[64];
    const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    s[I] = x[I];
    tile.sync();
    y[G] = s[63 - I];
}
__device__ unsigned arrived;
KERNEL(last_block) {
    __shared__ bool is_last;
    y[G] = x[G];
    __threadfence();
    __syncthreads();
    if (I == 0) {
        is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) y[I] += y[127 - I];
}
__device__ unsigned counted;
KERNEL(last_block_of_fences) {  // thread 0 takes the ticket, and each thread that reads has a fence of its own
    __shared__ bool is_last;
    y[G] = x[G];
    __threadfence();
    __syncthreads();
    if (I == 0) is_last = atomicInc(&counted, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    y[I] += y[127 - I];
}
__device__ unsigned added;
KERNEL(last_block_of_the_guide) {  // NVIDIA's: the sums are volatile, and no fence follows the ticket
    __shared__ bool is_last;
    volatile float* sums = y;
    if (I == 0) {
        sums[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        is_last = atomicInc(&added, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && I == 0) y[2] = sums[0] + sums[1];
}
__device__ volatile int flags[2];
KERNEL(flag) {
    if (I > 0) return;
    if (blockIdx.x == 0) {
        y[0] = 7;
        __threadfence();
        flags[0] = 1;
    } else {
        while (flags[0] == 0) {
        }
        __threadfence();
        y[1] = y[0];
    }
}
__device__ volatile int told;
KERNEL(told_by_a_lane) {  // what the lanes of a warp have stored, one of them tells one of another warp's
    if (I >= 32) return;
    if (blockIdx.x == 0) {
        y[I] = 7;
        __syncwarp();
        __threadfence();
        if (I == 0) told = 1;
    } else {
        while (I == 0 && told == 0) {
        }
        __threadfence();
        __syncwarp();
        y[64 + I] = y[31 - I];
    }
}
__device__ volatile int passed[3];
KERNEL(passed_on) {  // from block to block, by one thread of each, and in the third by two
    const unsigned b = blockIdx.x;
    if (I == 0 && b == 0) y[0] = 7;
    if (I == 0 && b > 0) {
        while (passed[b - 1] == 0) {
        }
        __threadfence();
    }
    if (b == 2) __syncthreads();
    if (b < 3 && I == (b == 2 ? 32 : 0)) {
        __threadfence();
        passed[b] = 1;
    }
    if (I == 0 && b == 3) y[1] = y[0];
}
__device__ int lock;
KERNEL(critical_section) {
    if (I > 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    y[0] += x[blockIdx.x];
    __threadfence();
    atomicExch(&lock, 0);
}
__device__ unsigned long long tickets;
__device__ volatile unsigned long long served;
KERNEL(ticket) {
    if (threadIdx.x > 0) return;
    const auto mine = atomicAdd(&tickets, 1ull);
    while (served != mine) {
    }
    __threadfence();
    y[0] += x[blockIdx.x];
    __threadfence();
    served = mine + 1;  // both blocks write it, one after another
}
__device__ unsigned tiles_taken;
__device__ float sum_up_to[2];
__device__ volatile bool is_summed[2];
KERNEL(look_back) {  // each block adds its sum to that of the block before, whichever that is
    __shared__ unsigned tile;
    if (I > 0) return;
    tile = atomicInc(&tiles_taken, 1);
    float sum = x[tile];
    if (tile > 0) {
        while (!is_summed[tile - 1]) {
        }
        __threadfence();
        sum += sum_up_to[tile - 1];
    }
    y[tile] = sum_up_to[tile] = sum;
    __threadfence();
    is_summed[tile] = true;
}
__device__ unsigned items_taken;
KERNEL(work_queue) {  // blocks take items until there are none
    __shared__ unsigned item;
    while (true) {
        if (I == 0) item = atomicAdd(&items_taken, 1);
        __syncthreads();
        const unsigned mine = item;
        __syncthreads();
        if (mine >= 2) break;
        y[64 * mine + I] = x[64 * mine + I];
    }
}
KERNEL(mailbox) {  // from one warp to the other
    __shared__ float letter;
    __shared__ volatile bool is_full;
    if (I == 0) is_full = false;
    __syncthreads();
    if (I == 0) {
        letter = x[0];
        __threadfence_block();
        is_full = true;
    }
    if (I == 32) {
        while (!is_full) {
        }
        __threadfence_block();
        y[G] = letter;
    }
}
__device__ int ready;
KERNEL(flag_of_cuda) {  // a variable that becomes an atomic object
    if (I > 0) return;
    const cuda::atomic_ref<int, cuda::thread_scope_device> flag(ready);
    if (blockIdx.x == 0) {
        y[0] = 7;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {
        }
        y[1] = y[0];
    }
}
KERNEL(lane_by_lane) {  // each lane waits for the one before
    volatile float* const v = y;
    for (int round = 1; round <= 2; round++) {
        while (I > 0 && v[G - 1] < round) {
        }
        v[G] = round;
    }
}
KERNEL(found) {  // who sees it too late works in vain
    volatile float* const v = y;
    if (v[blockIdx.x] != 0) return;
    if (I % 8 == 5) v[blockIdx.x] = 1;
}
__device__ volatile int marked;
KERNEL(marks) {  // all write the same, and look at it
    marked = 1;
    if (marked != 1) y[G] = 0;
}
__device__ volatile float neighbours[128];
KERNEL(in_step) {  // old values, read before the warp goes on together
    volatile float* const v = y;
    neighbours[G] = v[G ^ 1];
    __syncwarp();
    v[G] = 1;
}
KERNEL(only_loads) {  // nobody writes
    const cuda::atomic_ref<float, cuda::thread_scope_device> first(y[0]);
    if (first.load() + y[0] != 0) y[1] = 1;
}
KERNEL(cub_again) {
    using Reduce = cub::BlockReduce<float, 64>;
    using Scan = cub::BlockScan<float, 64>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } storage;
    float sum = Reduce(storage.reduce).Sum(x[G]);
    __syncthreads();
    if (I == 0) y[G] = sum;
    Scan(storage.scan).ExclusiveSum(x[G], sum);
    if (I > 0) y[G] = sum;
}
__cluster_dims__(2) KERNEL(cluster) {
    __shared__ float s[64];
    const auto cluster = cg::this_cluster();
    s[I] = x[G];
    cluster.sync();
    y[G] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[63 - I];
    cluster.sync();
}
KERNEL(grid_barrier) {
    y[G] = x[G];
    cg::this_grid().sync();
    const float v = y[127 - G];
    cg::this_grid().sync();
    y[G] = v;
}
KERNEL(barrier_object) {
    __shared__ float s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (I == 0) init(&barrier, 64);
    __syncthreads();
    s[I] = x[I];
    barrier.arrive_and_wait();
    y[G] = s[63 - I];
}
KERNEL(latch_object) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ float s[64];
    __shared__ alignas(Latch) char memory[sizeof(Latch)];
    Latch& latch = *reinterpret_cast<Latch*>(memory);
    if (I == 0) new (&latch) Latch(64);
    __syncthreads();
    s[I] = x[I];
    latch.arrive_and_wait();
    y[G] = s[63 - I];
}
KERNEL(async_copy) {
    __shared__ alignas(16) float s[64];
    __pipeline_memcpy_async(&s[I], &x[I], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[G] = s[63 - I];
}
KERNEL(dynamic) {
    extern __shared__ float4 d[];
    if (I < 16) d[I] = reinterpret_cast<const float4*>(x)[I];
    __syncthreads();
    y[G] = d[15 - I / 4].x;
}
KERNEL(more_dynamic) {  // than the launch before
    extern __shared__ float4 d[];
    d[I] = make_float4(1, 2, 3, 4);
    __syncthreads();
    y[G] = d[63 - I].x;
}
__constant__ float factors[4];
__device__ float of_the_program[128];
struct Parameters {
    float v[20];
};
KERNEL(variables) { of_the_program[G] = y[G] = factors[I % 4]; }
__device__ void sort(float* v) {
    for (int i = 1; i < 4; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--) {
            const float t = v[k];
            v[k] = v[k - 1], v[k - 1] = t;
        }
}
KERNEL(local_array) {
    float v[4] = {x[I], 3, 2, float(I)};
    sort(v);
    y[G] = v[1];
}
__global__ void large_parameter(float* y, Parameters p) { y[G] = p.v[I % 20]; }

int main(int argc, char** argv) {
    float *x, *y, *part, host[4] = {1, 2, 3, 4};
    cudaMallocManaged(&y, 128 * sizeof(float));
    cudaMalloc(&x, 128 * sizeof(float));
    cudaMalloc(&part, 1000);
    cudaMemset(x, 0, 128 * sizeof(float));
    cudaMemset(part, 0, 512);
    cudaMemcpy(part, host, sizeof host, cudaMemcpyDefault);
    cudaMemcpyToSymbol(factors, host, sizeof host);
    const auto say = [&](const char* name, auto launch) {
        if (argc > 1 && std::strcmp(argv[1], name) != 0) return;
        for (int i = 0; i < 128; i++) y[i] = 0;  // managed: the host's, too
        launch();
        cudaDeviceSynchronize();
        std::printf("%s: nothing\n", name);
    };
#define RUN(name) \
    say(#name, [&] { name<<<2, 64, 64 * sizeof(float)>>>(y, x), name<<<2, 64, 64 * sizeof(float)>>>(y, part); })
    RUN(tree), RUN(tiles), RUN(early_return), RUN(two_buffers), RUN(atomics), RUN(guesses), RUN(guess_overtaken),
        RUN(bins), RUN(same_value), RUN(bytes), RUN(bytes_and_words), RUN(halves);
    RUN(warp_tree), RUN(part_of_a_warp), RUN(two_halves), RUN(warp_sums), RUN(tile), RUN(large_tile), RUN(last_block),
        RUN(last_block_of_fences), RUN(last_block_of_the_guide);
    RUN(critical_section), RUN(barrier_object), RUN(latch_object), RUN(async_copy), RUN(dynamic), RUN(variables),
        RUN(local_array), RUN(work_queue), RUN(mailbox), RUN(found), RUN(marks), RUN(in_step), RUN(only_loads),
        RUN(cub_again), RUN(cluster);
    say("lane_by_lane", [&] { lane_by_lane<<<2, 64>>>(y, x); });
    say("look_back", [&] { look_back<<<2, 64>>>(y, x); });
    say("flag_of_cuda", [&] { flag_of_cuda<<<2, 64>>>(y, x); });
    say("flag", [&] { flag<<<2, 64>>>(y, x); });
    say("told_by_a_lane", [&] { told_by_a_lane<<<2, 64>>>(y, x); });
    say("passed_on", [&] { passed_on<<<4, 64>>>(y, x); });
    say("more_dynamic", [&] { more_dynamic<<<2, 64, 64 * sizeof(float4)>>>(y, x); });
    say("ticket", [&] { ticket<<<2, 64>>>(y, x); });
    void* arguments[] = {&y, &x};
    say("grid_barrier", [&] { cudaLaunchCooperativeKernel(grid_barrier, 2, 64, arguments); });
    say("large_parameter", [&] { large_parameter<<<2, 64>>>(y, Parameters()); });
    cudaHostRegister(host, sizeof host, 0);
    say("registered", [&] { local_array<<<1, 4>>>(y, host); });
    cudaHostUnregister(host);
}
