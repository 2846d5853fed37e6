// Mistakes with asynchronous copies and barriers. "order" prints what depends on when a copy is carried out, "refused"
// prints each kernel's error.
#include "expect.h"

#include <cstring>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda_pipeline.h>
#include <stdexcept>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int threads = 8, tiles = 3;

__device__ int neighbour(const int* tile) { return tile[(threadIdx.x + 1) % threads]; }

template <bool waits, bool syncs>  // before reading; before copying into what others may still read
__global__ void groups(int* out, const int* in) {
    __shared__ int tile[threads];
    tile[threadIdx.x] = -1;
    int sum = 0;
    for (int t = 0; t < tiles; t++) {
        __pipeline_memcpy_async(&tile[threadIdx.x], &in[t * threads + threadIdx.x], sizeof(int));
        __pipeline_commit();
        if (waits) __pipeline_wait_prior(0);
        __syncthreads();
        sum += neighbour(tile);
        if (syncs) __syncthreads();
    }
    atomicAdd(out, sum);
}

template <bool waits>
__global__ void barriers(int* out, const int* in) {
    __shared__ int tile[threads];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, threads);
    tile[threadIdx.x] = -1;
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int), barrier);
    auto token = barrier.arrive();
    if (waits)
        barrier.wait(cuda::std::move(token));
    else
        __syncthreads();
    atomicAdd(out, neighbour(tile));
}

template <bool waits>
__global__ void pipelines(int* out, const int* in) {
    __shared__ int tile[tiles][threads];
    for (int t = 0; t < tiles; t++) tile[t][threadIdx.x] = -1;
    auto pipe = cuda::make_pipeline();
    for (int t = 0; t < tiles; t++) {
        cuda::memcpy_async(&tile[t][threadIdx.x], &in[t * threads + threadIdx.x], sizeof(int), pipe);
        pipe.producer_commit();
    }
    for (int t = 0; t < tiles; t++) {
        if (waits || t == 0) pipe.consumer_wait();
        __syncthreads();
        atomicAdd(out, neighbour(tile[t]));
    }
}

void show(const char* name, void (*launch)(int*, const int*)) {
    static int *in = device_array<int>(threads * tiles), *out = device_array<int>(1);
    for (int i = 0; i < threads * tiles; i++) in[i] = i;
    *out = 0;
    try {
        launch(out, in);
        std::printf("%s: %d\n", name, *out);
    } catch (const std::exception& error) {
        std::printf("%s: %s\n", name, error.what());
    }
}

__global__ void size(int* out, const int* in) {
    __pipeline_memcpy_async(out, in, 12);  // LINE size
}
__global__ void zeros(int* out, const int* in) {
    __pipeline_memcpy_async(out, in, 4, 5);  // LINE zeros
}
__global__ void misaligned(int* out, const int* in) {
    __pipeline_memcpy_async(out, in + 1, 8);  // LINE misaligned
}
__global__ void promise(int* out, const int* in) {
    auto pipe = cuda::make_pipeline();
    cuda::memcpy_async(out, in + 1, cuda::aligned_size_t<16>(16), pipe);  // LINE promise
}
__global__ void no_multiple(int* out, const int* in) {
    auto pipe = cuda::make_pipeline();
    cuda::memcpy_async(out, in, 6, pipe);  // LINE no_multiple
}
__global__ void no_init(int*, const int*) {
    __shared__ Barrier barrier;
    barrier.arrive_and_wait();  // LINE no_init
}
__global__ void too_many(int*, const int*) {
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, 3);
    __syncthreads();
    (void)barrier.arrive(2);  // LINE too_many
}
__global__ void too_few(int*, const int*) {
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, threads + 1);
    __syncthreads();
    barrier.arrive_and_wait();  // LINE too_few
}
__global__ void no_bytes(int*, const int*) {
    __shared__ Barrier barrier;
    init(&barrier, 1);
    barrier.wait(cuda::device::barrier_arrive_tx(barrier, 1, 64));  // LINE no_bytes
}
__global__ void nobody_produces(int*, const int*) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(cuda_on_cpu::OneThread(), &state);
    pipe.consumer_wait();  // LINE nobody_produces
}
__global__ void latch(int*, const int*) {
    cuda::latch<cuda::thread_scope_thread> latch(1);
    latch.count_down(2);  // LINE latch
}
__global__ void semaphore(int*, const int*) {
    cuda::binary_semaphore<cuda::thread_scope_thread> semaphore(1);
    semaphore.acquire();
    semaphore.acquire();  // LINE semaphore
}

#define SHOW(kernel, threads) show(#kernel, [](int* out, const int* in) { kernel<<<1, threads>>>(out, in); })

int main(int, char** arguments) {
    if (std::strcmp(arguments[1], "order") == 0) {
        show("groups", [](int* out, const int* in) { groups<true, true><<<1, threads>>>(out, in); });
        show("groups, no wait", [](int* out, const int* in) { groups<false, true><<<1, threads>>>(out, in); });
        show("groups, no sync", [](int* out, const int* in) { groups<true, false><<<1, threads>>>(out, in); });
        show("barriers", [](int* out, const int* in) { barriers<true><<<1, threads>>>(out, in); });
        show("barriers, no wait", [](int* out, const int* in) { barriers<false><<<1, threads>>>(out, in); });
        show("pipelines", [](int* out, const int* in) { pipelines<true><<<1, threads>>>(out, in); });
        show("pipelines, no wait", [](int* out, const int* in) { pipelines<false><<<1, threads>>>(out, in); });
    } else {
        SHOW(size, 1);
        SHOW(zeros, 1);
        SHOW(misaligned, 1);
        SHOW(promise, 1);
        SHOW(no_multiple, 1);
        SHOW(no_init, 1);
        SHOW(too_many, 2);
        SHOW(too_few, threads);
        SHOW(no_bytes, 1);
        SHOW(nobody_produces, 1);
        SHOW(latch, 1);
        SHOW(semaphore, 1);
    }
    return report();
}
