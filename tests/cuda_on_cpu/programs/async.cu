// Asynchronous copies, barriers as objects, pipelines, cuda::atomic and cuda::std.
#include "expect.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/numbers>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

// nvcc warns of every barrier in shared memory: init() does what its constructor cannot do there.
#ifndef CUDA_ON_CPU
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace cg = cooperative_groups;

// Each kernel below writes out[i] = the sum of the four neighbours in[i], in[i + 1], ... of a tile, counted around, so
// that a thread reads what others have copied.
constexpr int threads = 64, tiles = 6, elements = threads * tiles;

__device__ int sum_of_four(const int* tile) {
    int sum = 0;
    for (int k = 0; k < 4; k++) sum += tile[(threadIdx.x + k) % threads];
    return sum;
}

bool sums_are_right(void (*launch)(int*, const int*)) {
    int *in = device_array<int>(elements), *out = device_array<int>(elements);
    for (int i = 0; i < elements; i++) in[i] = i * i;
    launch(out, in);
    EXPECT_DONE();
    bool right = true;
    for (int i = 0; i < elements; i++) {
        int sum = 0;
        for (int k = 0; k < 4; k++) sum += in[i / threads * threads + (i + k) % threads];
        right = right && out[i] == sum;
    }
    return right;
}

// __pipeline_memcpy_async() and its relatives.
namespace primitives {

__global__ void two_stages(int* out, const int* in) {
    __shared__ int tile[2][threads];
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles)
            __pipeline_memcpy_async(&tile[(t + 1) % 2][threadIdx.x], &in[(t + 1) * threads + threadIdx.x], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[t * threads + threadIdx.x] = sum_of_four(tile[t % 2]);
        __syncthreads();
    }
}

__global__ void one_mbarrier(int* out, const int* in) {
    __shared__ int tile[threads];
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0) __mbarrier_init(&barrier, threads);
    __syncthreads();
    for (int t = 0; t < tiles; t++) {
        __pipeline_memcpy_async(&tile[threadIdx.x], &in[t * threads + threadIdx.x], sizeof(int));
        __pipeline_arrive_on(&barrier);
        const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {
        }
        out[t * threads + threadIdx.x] = sum_of_four(tile);
        __syncthreads();
    }
}

__global__ void zeros(float4* out, const float4* in) {  // 16 bytes, the last 4 and the last 16 of them zero
    __shared__ float4 copy[3];
    copy[threadIdx.x] = make_float4(7, 7, 7, 7);
    if (threadIdx.x < 2) __pipeline_memcpy_async(&copy[threadIdx.x], in, 16, threadIdx.x == 0 ? 4 : 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = copy[threadIdx.x];
}

__global__ void experimental(int* out, const int* in) {
    using namespace nvcuda::experimental;
    __shared__ int tile[threads];
    __shared__ alignas(16) int other[4];
    __shared__ awbarrier barrier;
    if (threadIdx.x == 0) init(&barrier, threads);
    __syncthreads();
    pipeline pipe;
    for (int t = 0; t < tiles; t++) {
        memcpy_async(tile[threadIdx.x], in[t * threads + threadIdx.x], pipe);
        if (t % 2 == 0)
            pipe.arrive_on(barrier);
        else
            pipe.commit_and_wait();
        awbarrier::arrival_token token = barrier.arrive();
        barrier.wait(token);
        out[t * threads + threadIdx.x] = sum_of_four(tile);
        barrier.arrive_and_wait();
    }
    if (threadIdx.x == 0) {
        other[2] = other[3] = 5;
        memcpy_async(segment<4>(other), segment<2>(in), pipe);
        pipe.commit();
        pipe.wait_prior<0>();
        if (other[0] != in[0] || other[1] != in[1] || other[2] != 0 || other[3] != 0) out[0] = -1;
    }
}

void test() {
    EXPECT(sums_are_right([](int* out, const int* in) { two_stages<<<1, threads>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { one_mbarrier<<<1, threads>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { experimental<<<1, threads>>>(out, in); }));
    float4 *in = device_array<float4>(1), *out = device_array<float4>(3);
    *in = make_float4(1, 2, 3, 4);
    zeros<<<1, 3>>>(out, in);
    EXPECT_DONE();
    EXPECT(out[0].x == 1 && out[0].z == 3 && out[0].w == 0);
    EXPECT(out[1].x == 0 && out[1].w == 0 && out[2].x == 7);
}

}  // namespace primitives

// cuda::barrier.
namespace barriers {

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void in_two_steps(int* out, const int* in) {
    __shared__ int tile[threads];
    __shared__ Barrier written, read;
    if (threadIdx.x == 0) init(&written, blockDim.x), new (&read) Barrier(blockDim.x);
    __syncthreads();
    for (int t = 0; t < tiles; t++) {
        tile[threadIdx.x] = in[t * threads + threadIdx.x];
        Barrier::arrival_token token = written.arrive();
        written.wait(cuda::std::move(token));
        out[t * threads + threadIdx.x] = sum_of_four(tile);
        read.arrive_and_wait();
    }
}

// The first warp copies for the second, and is one tile ahead.
__global__ void warps_have_roles(int* out, const int* in) {
    __shared__ int tile[2][threads];
    __shared__ Barrier filled[2], free[2];
    if (threadIdx.x < 2) init(&filled[threadIdx.x], threads + 32), init(&free[threadIdx.x], threads + 32);
    __syncthreads();
    if (threadIdx.x >= threads) {
        for (int t = 0; t < tiles; t++) {
            free[t % 2].arrive_and_wait();
            for (int i = threadIdx.x - threads; i < threads; i += 32) tile[t % 2][i] = in[t * threads + i];
            (void)filled[t % 2].arrive();
        }
    } else {
        (void)free[0].arrive();
        (void)free[1].arrive();
        for (int t = 0; t < tiles; t++) {
            filled[t % 2].arrive_and_wait();
            out[t * threads + threadIdx.x] = sum_of_four(tile[t % 2]);
            if (t + 2 < tiles) (void)free[t % 2].arrive();
        }
    }
}

__global__ void copies(int* out, const int* in) {  // by each thread for itself, then by the block together
    __shared__ alignas(16) int tile[threads];
    __shared__ Barrier barrier;
    const auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, block.size());
    block.sync();
    for (int t = 0; t < tiles; t++) {
        if (t == 0)
            cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int), barrier);
        else if (t == 1)
            cuda::memcpy_async(block, tile, in + t * threads, sizeof tile, barrier);
        else
            cuda::memcpy_async(block, tile, in + t * threads, cuda::aligned_size_t<16>(sizeof tile), barrier);
        barrier.arrive_and_wait();
        out[t * threads + threadIdx.x] = sum_of_four(tile);
        barrier.arrive_and_wait();
    }
}

__global__ void bulk_copies(int* out, const int* in) {  // by one thread; the others arrive without a copy
    __shared__ alignas(16) int tile[threads];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (int t = 0; t < tiles; t++) {
        Barrier::arrival_token token;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(tile, in + t * threads, cuda::aligned_size_t<16>(sizeof tile), barrier);
            token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
        } else {
            token = barrier.arrive();
        }
        barrier.wait(cuda::std::move(token));
        out[t * threads + threadIdx.x] = sum_of_four(tile);
        __syncthreads();
    }
}

__global__ void __cluster_dims__(2) in_a_cluster(int* out, const int* in) {  // a tile for each block
    __shared__ int tile[threads];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], &in[blockIdx.x * threads + threadIdx.x], sizeof(int), barrier);
    cg::this_cluster().sync();
    Barrier::arrival_token token = barrier.arrive();
    cg::this_cluster().sync();
    barrier.wait(cuda::std::move(token));
    out[blockIdx.x * threads + threadIdx.x] = sum_of_four(tile);
}

using GridBarrier = cuda::barrier<cuda::thread_scope_device>;

__global__ void across_blocks(int* out, GridBarrier* barrier, cuda::atomic<int, cuda::thread_scope_device>* count) {
    count->fetch_add(1);
    barrier->arrive_and_wait();
    out[blockIdx.x * blockDim.x + threadIdx.x] = count->load();
    barrier->arrive_and_wait();
    count->fetch_sub(1);
    while (count->load() != 0) {
    }
}

struct Count {
    int* phases;
    __device__ void operator()() const { ++*phases; }
};

__global__ void others(int* out) {
    __shared__ Barrier barrier, parity;
    __shared__ int phases;
    using Counting = cuda::barrier<cuda::thread_scope_block, Count>;
    __shared__ alignas(Counting) char memory[sizeof(Counting)];
    Counting& counting = *reinterpret_cast<Counting*>(memory);
    if (threadIdx.x == 0) {
        phases = 0;
        init(&barrier, blockDim.x);
        init(&parity, 1);
        new (&counting) Counting(blockDim.x, Count{&phases});
    }
    __syncthreads();
    counting.arrive_and_wait();
    out[threadIdx.x] = phases;  // 1: before anybody goes on
    counting.arrive_and_wait();
    counting.arrive_and_wait();

    if (threadIdx.x % 2) {  // half of the threads leave
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    out[threadIdx.x] += 10 * phases;
    Barrier::arrival_token token = barrier.arrive();
    while (!barrier.try_wait_for(cuda::std::move(token), cuda::std::chrono::nanoseconds(100))) {
    }
    if (threadIdx.x == 0) {
        (void)parity.arrive();
        parity.wait_parity(false);
        out[0] += 100;
        const void* handle = cuda::device::barrier_native_handle(parity);
        if (handle == &parity && sizeof(Barrier) == 8) out[0] += 1000;
    }
}

void test() {
    EXPECT(sums_are_right([](int* out, const int* in) { in_two_steps<<<1, threads>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { warps_have_roles<<<1, threads + 32>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { copies<<<1, threads>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { bulk_copies<<<1, threads>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { in_a_cluster<<<tiles, threads>>>(out, in); }));
    int* out = device_array<int>(threads);
    GridBarrier* barrier = device_array<GridBarrier>(1);
    auto* count = device_array<cuda::atomic<int, cuda::thread_scope_device>>(1);
    init(barrier, threads);
    void* arguments[] = {&out, &barrier, &count};
    EXPECT(cudaLaunchCooperativeKernel((void*)across_blocks, dim3(4), dim3(threads / 4), arguments, 0, nullptr) ==
           cudaSuccess);
    EXPECT_DONE();
    for (int i = 0; i < threads; i++) EXPECT(out[i] == threads);
    EXPECT(count->load() == 0);
    others<<<1, threads>>>(out);
    EXPECT_DONE();
    EXPECT(out[0] == 1131);
    for (int i = 1; i < threads; i++) EXPECT(out[i] == (i % 2 ? 1 : 31));
}

}  // namespace barriers

// cuda::pipeline and cooperative_groups::memcpy_async().
namespace pipelines {

__global__ void of_a_thread(int* out, const int* in) {
    __shared__ int tile[3][threads];
    auto pipe = cuda::make_pipeline();
    const auto start = [&](int t) {
        pipe.producer_acquire();
        if (t < tiles) cuda::memcpy_async(&tile[t % 3][threadIdx.x], &in[t * threads + threadIdx.x], sizeof(int), pipe);
        pipe.producer_commit();
    };
    start(0);
    start(1);
    for (int t = 0; t < tiles; t++) {
        start(t + 2);
        if (t % 2)
            cuda::pipeline_consumer_wait_prior<2>(pipe);
        else
            pipe.consumer_wait();
        __syncthreads();
        out[t * threads + threadIdx.x] = sum_of_four(tile[t % 3]);
        pipe.consumer_release();
        __syncthreads();
    }
}

__global__ void of_a_block(int* out, const int* in) {
    constexpr int stages = 2;
    __shared__ alignas(16) int tile[stages][threads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int started = 0;
    for (int t = 0; t < tiles; t++) {
        for (; started < tiles && started < t + stages; started++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[started % stages], in + started * threads,
                               cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[t * threads + threadIdx.x] = sum_of_four(tile[t % stages]);
        pipe.consumer_release();
    }
}

template <bool count_is_given>
__global__ void with_roles(int* out, const int* in) {
    constexpr int stages = 3, producers = 32;
    __shared__ int tile[stages][threads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const auto block = cg::this_thread_block();
    const bool produces = threadIdx.x >= threads;
    const auto role = produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = [&] {
        if constexpr (count_is_given)
            return cuda::make_pipeline(block, &state, size_t(producers));
        else
            return cuda::make_pipeline(block, &state, role);
    }();
    for (int t = 0; t < tiles; t++) {
        if (produces) {
            pipe.producer_acquire();
            for (int i = threadIdx.x - threads; i < threads; i += producers)
                cuda::memcpy_async(&tile[t % stages][i], &in[t * threads + i], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[t * threads + threadIdx.x] = sum_of_four(tile[t % stages]);
            pipe.consumer_release();
        }
    }
}

__global__ void of_a_group(int* out, const int* in) {
    __shared__ alignas(16) int tile[2][threads];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile[0], in, sizeof tile[0]);
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) {
            const int* next = in + (t + 1) * threads;
            if (t == 0)
                cg::memcpy_async(block, tile[1], cuda::aligned_size_t<4>(threads), next,
                                 cuda::aligned_size_t<4>(elements));
            else
                cg::memcpy_async(block, tile[(t + 1) % 2], next, cuda::aligned_size_t<16>(sizeof tile[0]));
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        out[t * threads + threadIdx.x] = sum_of_four(tile[t % 2]);
        block.sync();
    }
}

__global__ void of_a_tile(int* out, const int* in) {  // each warp copies, and waits, on its own
    __shared__ int tile[threads];
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int first = int(threadIdx.x) / 32 * 32;
    cg::memcpy_async(warp, tile + first, in + first, sizeof(int) * 32);
    cg::wait(warp);
    out[threadIdx.x] = tile[first + (threadIdx.x + 1) % 32];
}

void test() {
    EXPECT(sums_are_right([](int* out, const int* in) { of_a_thread<<<1, threads>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { of_a_block<<<1, threads>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { with_roles<true><<<1, threads + 32>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { with_roles<false><<<1, threads + 32>>>(out, in); }));
    EXPECT(sums_are_right([](int* out, const int* in) { of_a_group<<<1, threads>>>(out, in); }));
    int *in = device_array<int>(threads), *out = device_array<int>(threads);
    for (int i = 0; i < threads; i++) in[i] = 3 * i;
    of_a_tile<<<1, threads>>>(out, in);
    EXPECT_DONE();
    for (int i = 0; i < threads; i++) EXPECT(out[i] == 3 * (i / 32 * 32 + (i + 1) % 32));
}

}  // namespace pipelines

// cuda::atomic, cuda::atomic_ref, latches and semaphores.
namespace atomics {

struct Numbers {
    cuda::atomic<int, cuda::thread_scope_device> sum, most, bits, turns;
    cuda::atomic<float, cuda::thread_scope_device> total;
    cuda::std::atomic<unsigned long long> large;
    int plain, guarded;
    unsigned wrapped;
    float2 pair;
};

__global__ void arithmetic(Numbers* n) {
    const int t = threadIdx.x;
    n->sum.fetch_add(t, cuda::memory_order_relaxed);
    n->most.fetch_max(t);
    n->bits |= 1 << t % 20;
    n->total += 0.5f;
    n->large++;
    cuda::atomic_ref<int, cuda::thread_scope_block>(n->plain).fetch_sub(1);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(n->wrapped).fetch_min(unsigned(1000 - t));
    cuda::atomic_ref<float2, cuda::thread_scope_device> pair(n->pair);  // any type of 8 bytes
    float2 old = pair.load();
    while (!pair.compare_exchange_weak(old, make_float2(old.x + 1, old.y + 2), cuda::memory_order_acq_rel)) {
    }
}

__global__ void turns(Numbers* n) {  // each thread waits for its turn; the first one for the last
    const int t = threadIdx.x, mine = (t + 1) % blockDim.x;
    if (t % 2) {
        for (int now = n->turns.load(); now != mine; now = n->turns.load()) n->turns.wait(now);
    } else {
        while (n->turns.load(cuda::memory_order_acquire) != mine) {
        }
    }
    n->sum.store(n->sum.load() % 1000 * 3 + t);
    n->turns.store(mine + 1, cuda::memory_order_release);
    n->turns.notify_all();
}

// A thread that only looks again and again lets the other one go on, and then waits for it itself.
__global__ void looks_then_waits(Numbers* n) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < 1000; i++) n->sum.fetch_add(1);
        n->bits.store(1);
        n->most.wait(0);
        n->turns.store(1);
        n->turns.notify_all();
    } else if (threadIdx.x == 32) {
        while (n->bits.load() == 0) {
        }
        n->most.store(1);
        n->most.notify_all();
        n->turns.wait(0);
    }
}

__global__ void guards(Numbers* n) {
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> mutex;
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char memory[sizeof(Latch)];
    Latch& latch = *reinterpret_cast<Latch*>(memory);
    if (threadIdx.x == 0) {
        new (&mutex) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        new (&latch) Latch(blockDim.x);
    }
    __syncthreads();
    mutex.acquire();
    const int before = n->guarded;
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
    n->guarded = before + 1;
    mutex.release();
    latch.arrive_and_wait();
    if (threadIdx.x == 0) n->plain = n->guarded;
}

void test() {
    Numbers* n = device_array<Numbers>(1);
    n->plain = 100;
    n->wrapped = 5000;
    n->pair = make_float2(0, 0);
    arithmetic<<<2, 50>>>(n);
    EXPECT_DONE();
    EXPECT(n->sum == 2 * 49 * 25 && n->most == 49 && n->bits == (1 << 20) - 1 && n->total == 50 && n->large == 100);
    EXPECT(n->wrapped == 951 && n->pair.x == 100 && n->pair.y == 200);

    n->sum = 0;
    turns<<<1, 40>>>(n);
    EXPECT_DONE();
    int expected = 39;
    for (int t = 0; t < 39; t++) expected = expected % 1000 * 3 + t;
    EXPECT(n->sum.load() == expected && n->turns.load() == 40);

    n->sum = n->bits = n->most = n->turns = 0;
    looks_then_waits<<<1, 64>>>(n);
    EXPECT_DONE();
    EXPECT(n->sum == 1000 && n->turns == 1);

    guards<<<1, 70>>>(n);
    EXPECT_DONE();
    EXPECT(n->plain == 70);
    EXPECT(cuda::atomic_ref<int>(n->plain).exchange(3) == 70 && n->plain == 3);  // on the host
}

}  // namespace atomics

// cuda::std.
namespace standard {

__device__ cuda::std::optional<float> root(float x) {
    return x < 0 ? cuda::std::nullopt : cuda::std::optional<float>(cuda::std::sqrt(x));
}

__device__ cuda::std::tuple<int, float> both(int i) { return {i, i * 0.5f}; }

__global__ void types(float* out) {
    cuda::std::array<float, 3> a = {1, 2, 3};
    cuda::std::span<float> all(a.data(), a.size());
    float sum = 0;
    for (float x : all.subspan(1)) sum += x;
    out[0] = sum;
    const auto [i, half] = both(7);
    out[1] = i + half;
    out[2] = root(-1) ? 1.0f : root(9).value();
    const cuda::std::complex<float> product = cuda::std::complex<float>(1, 2) * cuda::std::complex<float>(3, 4);
    out[3] = product.real(), out[4] = product.imag();
    out[5] = cuda::std::numeric_limits<float>::max();
    out[6] = float(cuda::std::popcount(0xf0fu) + cuda::std::countl_zero(1u) + int(cuda::std::bit_ceil(33u)));
    out[7] = float(cuda::std::bit_cast<int>(1.0f) == 0x3f800000);
    out[8] = cuda::std::numbers::pi_v<float>;
    out[9] = cuda::maximum<float>()(2, 3) + cuda::std::plus<int>()(1, 1) + cuda::std::max(4, 5);
    static_assert(cuda::std::is_same_v<cuda::std::remove_cvref_t<const int&>, cuda::std::int32_t>);
    static_assert(cuda::ceil_div(7, 3) == 3 && cuda::round_up(7, 3) == 9 && cuda::ilog2(40u) == 5);
}

void test() {
    float* out = device_array<float>(10);
    types<<<1, 1>>>(out);
    EXPECT_DONE();
    EXPECT(out[0] == 5 && out[1] == 10.5f && out[2] == 3 && out[3] == -5 && out[4] == 10);
    EXPECT(out[5] == 3.402823466e38f && out[6] == 8 + 31 + 64 && out[7] == 1 && out[8] == 3.14159265f && out[9] == 10);
}

}  // namespace standard

int main() {
    primitives::test();
    barriers::test();
    pipelines::test();
    atomics::test();
    standard::test();
    return report();
}
