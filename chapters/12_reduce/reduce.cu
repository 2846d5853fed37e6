// reduce.cu: the sum of an array in six kernels, each with one idea more. No torch header in here.
#include "reduce.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "common/pack.h"

constexpr int THREADS = 256;  // of a block, in the kernels with a thread for each element

// out = the sum, rounded. The kernels before sum_last_block_kernel leave it in total: none of their blocks knows when
// the others are done.
template <class T>
__global__ void round_kernel(T* out, const float* total) {
    *out = T(*total);
}

// Their launchers: a total of 0, then the kernel, then its rounding.
template <class T, class Launch>
static void with_total(T* out, float* total, int64_t n, cudaStream_t stream, Launch launch) {
    CHECK_CUDA(cudaMemsetAsync(total, 0, sizeof(float), stream));
    if (n > 0) launch();  // CUDA refuses a grid of 0 blocks
    round_kernel<<<1, 1, 0, stream>>>(out, total);
    CHECK_LAUNCH();
}

// ---- one atomic an element -----------------------------------------------------------------------------------------

template <class T>
__global__ void sum_atomic_kernel(float* total, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, float(x[i]));
}

template <class T>
void launch_sum_atomic(T* out, const T* x, int64_t n, float* scratch, cudaStream_t stream) {
    with_total(out, scratch, n, stream, [&] {
        sum_atomic_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(scratch, x, n);
        CHECK_LAUNCH();
    });
}

// ---- one atomic a block: a tree in shared memory -------------------------------------------------------------------

// No thread returns early: all threads of the block must come to each barrier. A thread beyond the end of x adds 0.
template <class T>
__global__ void sum_tree_kernel(float* total, const T* x, int64_t n) {
    __shared__ float sums[THREADS];  // a power of two: each level halves it
    const int64_t i = int64_t(blockIdx.x) * THREADS + threadIdx.x;
    sums[threadIdx.x] = i < n ? float(x[i]) : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, sums[0]);
}

template <class T>
void launch_sum_tree(T* out, const T* x, int64_t n, float* scratch, cudaStream_t stream) {
    with_total(out, scratch, n, stream, [&] {
        sum_tree_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(scratch, x, n);
        CHECK_LAUNCH();
    });
}

// ---- shuffles: a tree without memory and without barriers ----------------------------------------------------------

constexpr unsigned ALL = 0xffffffff;  // the 32 lanes of a warp

// Lane 0 gets the sum of the warp's values; what the other lanes get is of no use. All 32 lanes must call this.
__device__ inline float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(ALL, value, distance);
    return value;
}

// Thread 0 gets the sum of the block's values: of each warp, then of the warps. The block has whole warps, and
// all of its threads must call this.
__device__ inline float block_sum(float value) {
    __shared__ float sums[32];  // a block has at most 32 warps
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    if (lane == 0) sums[warp] = value;
    __syncthreads();  // all sums are written
    if (warp == 0) value = warp_sum(lane < warps ? sums[lane] : 0);
    __syncthreads();  // warp 0 has read them: the next call may write
    return value;
}

template <class T>
__global__ void sum_shuffle_kernel(float* total, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const float sum = block_sum(i < n ? float(x[i]) : 0);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

template <class T>
void launch_sum_shuffle(T* out, const T* x, int64_t n, float* scratch, cudaStream_t stream) {
    with_total(out, scratch, n, stream, [&] {
        sum_shuffle_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(scratch, x, n);
        CHECK_LAUNCH();
    });
}

// ---- packs of 16 bytes, and a grid that fits the GPU ---------------------------------------------------------------

// What a thread has in flight, and how many threads: 2 blocks of 512 threads with 8 packs each are 128 KiB for a
// multiprocessor. Its 65536 registers are 64 for each thread, and half of these hold its packs. __launch_bounds__ says
// so: left to itself, nvcc 13.0 keeps to 32 to 34 registers for floats, with three or four packs in flight.
constexpr int LOADS = 8, PACK_THREADS = 512, BLOCKS_PER_SM = 2;
template <class T>
constexpr int64_t CHUNK = PACK_THREADS * LOADS * Pack<T>::SIZE;  // elements: one round of loads of a block, 64 KiB
// So few bytes that one block adds them sooner than several blocks find out which of them is the last.
constexpr int64_t ONE_BLOCK_BYTES = 256 * 1024;
constexpr int ONE_BLOCK_THREADS = 1024;
// A large array has so many times as many blocks as the GPU holds: a multiprocessor that is done sooner gets more of
// them. REFERENCE.md, "Waves", has times.
constexpr int WAVES = 16;

// The sum of the packs i, i + stride, i + 2 * stride ... of n elements. What fills no pack is added by the threads with
// i = 0, 1, 2 ...: an element each.
template <class P, class T>
__device__ float thread_sum(const T* x, int64_t n, int64_t i, int64_t stride) {
    const P* packs = reinterpret_cast<const P*>(x);
    const int64_t whole = n / P::SIZE, tail = n % P::SIZE;
    float sum = i < tail ? float(x[whole * P::SIZE + i]) : 0;
    for (; i < whole; i += LOADS * stride) {
        P loaded[LOADS] = {};            // a pack beyond the end stays 0, and adds nothing
        for (int k = 0; k < LOADS; k++)  // all loads are in flight before the first addition waits
            if (i + k * stride < whole) loaded[k] = packs[i + k * stride];
        for (int k = 0; k < LOADS; k++) {
            float of_pack = 0;
            for (const T value : loaded[k].values) of_pack += float(value);
            sum += of_pack;
        }
    }
    return sum;
}

template <class P, class T>
__global__ void __launch_bounds__(ONE_BLOCK_THREADS, 1) sum_packs_kernel(float* total, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const float sum = block_sum(thread_sum<P>(x, n, i, int64_t(gridDim.x) * blockDim.x));
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

// As many blocks as the GPU holds at a time; WAVES times as many, if each of those has three rounds of loads or more.
template <class T>
static int64_t most_blocks(int64_t n) {
    int device = 0, sms = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    const int64_t resident = sms * BLOCKS_PER_SM, many = WAVES * resident;
    return n / CHUNK<T> >= 3 * many ? many : resident;
}

// As many, or fewer where some would find no pack for each thread; one for few elements.
template <class T>
static int fitting_blocks(int64_t n) {
    if (n <= ONE_BLOCK_BYTES / int64_t(sizeof(T))) return 1;
    return int(std::min(most_blocks<T>(n), n / (PACK_THREADS * Pack<T>::SIZE)));
}

static int threads_for(int blocks) { return blocks == 1 ? ONE_BLOCK_THREADS : PACK_THREADS; }

template <class T>
void launch_sum_packs(T* out, const T* x, int64_t n, float* scratch, int blocks, cudaStream_t stream) {
    if (blocks == 0) blocks = fitting_blocks<T>(n);
    const auto kernel = aligned(x) ? sum_packs_kernel<Pack<T>, T> : sum_packs_kernel<LoosePack<T>, T>;
    with_total(out, scratch, n, stream, [&] {
        kernel<<<blocks, threads_for(blocks), 0, stream>>>(scratch, x, n);
        CHECK_LAUNCH();
    });
}

// ---- the last block finishes: no atomic adds, so the order of the additions is fixed -------------------------------

// Whether this block is the last one of the grid to call this; *ticket counts them from 0 on. If it is, its threads see
// what thread 0 of every other block wrote before its call.
__device__ inline bool is_last_block(unsigned* ticket) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();  // no block sees this ticket taken before it sees the partial sum
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();  // and this block reads what others wrote after it has taken its ticket
    }
    __syncthreads();
    return last;
}

// out = the sum of `count` partial sums, by one block.
template <class T>
__device__ void finish(T* out, const float* partial, int64_t count) {
    const float sum = block_sum(thread_sum<Pack<float>>(partial, count, threadIdx.x, blockDim.x));
    if (threadIdx.x == 0) *out = T(sum);
}

template <class P, class T>
__global__ void __launch_bounds__(ONE_BLOCK_THREADS, 1)
    sum_last_block_kernel(T* out, float* partial, unsigned* ticket, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const float sum = block_sum(thread_sum<P>(x, n, i, int64_t(gridDim.x) * blockDim.x));
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *out = T(sum);
        return;
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
    if (is_last_block(ticket)) finish(out, partial, gridDim.x);
}

// The scratch memory: the ticket, then the partial sums from the next multiple of 16 bytes on.
static unsigned* ticket_in(float* scratch) { return reinterpret_cast<unsigned*>(scratch); }
static float* partial_in(float* scratch) { return scratch + Pack<float>::SIZE; }

template <class T>
void launch_sum_last_block(T* out, const T* x, int64_t n, float* scratch, int blocks, cudaStream_t stream) {
    if (n == 0) return CHECK_CUDA(cudaMemsetAsync(out, 0, sizeof(T), stream));
    if (blocks == 0) blocks = fitting_blocks<T>(n);
    if (blocks > 1)
        CHECK_CUDA(cudaMemsetAsync(scratch, 0, sizeof(unsigned), stream));  // in each launch: no state stays
    const auto kernel = aligned(x) ? sum_last_block_kernel<Pack<T>, T> : sum_last_block_kernel<LoosePack<T>, T>;
    kernel<<<blocks, threads_for(blocks), 0, stream>>>(out, partial_in(scratch), ticket_in(scratch), x, n);
    CHECK_LAUNCH();
}

// ---- the same bits on every GPU: partial sums of chunks whose size no GPU decides ----------------------------------

template <class T>
static int64_t chunks_of(int64_t n) {
    return (n + CHUNK<T> - 1) / CHUNK<T>;
}

// A block adds one chunk after another, so any grid gives the same partial sums. By default a small array has a block
// for each chunk.
template <class P, class T>
__global__ void __launch_bounds__(PACK_THREADS, BLOCKS_PER_SM)
    sum_chunks_kernel(T* out, float* partial, unsigned* ticket, const T* x, int64_t n, int64_t chunks) {
    for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        const int64_t first = chunk * CHUNK<T>, size = min(CHUNK<T>, n - first);
        const float sum = block_sum(thread_sum<P>(x + first, size, threadIdx.x, PACK_THREADS));
        if (threadIdx.x == 0) partial[chunk] = sum;
    }
    if (is_last_block(ticket)) finish(out, partial, chunks);
}

template <class T>
void launch_sum_chunks(T* out, const T* x, int64_t n, float* scratch, int blocks, cudaStream_t stream) {
    if (n == 0) return CHECK_CUDA(cudaMemsetAsync(out, 0, sizeof(T), stream));
    const int64_t chunks = chunks_of<T>(n);
    if (blocks == 0) blocks = int(std::min(chunks, most_blocks<T>(n)));
    CHECK_CUDA(cudaMemsetAsync(scratch, 0, sizeof(unsigned), stream));
    const auto kernel = aligned(x) ? sum_chunks_kernel<Pack<T>, T> : sum_chunks_kernel<LoosePack<T>, T>;
    kernel<<<blocks, PACK_THREADS, 0, stream>>>(out, partial_in(scratch), ticket_in(scratch), x, n, chunks);
    CHECK_LAUNCH();
}

template <class T>
int64_t scratch_floats(int64_t n, int blocks) {
    return Pack<float>::SIZE + std::max<int64_t>(chunks_of<T>(n), blocks > 0 ? blocks : fitting_blocks<T>(n));
}

// This makes the compiler translate the launchers for these three types; reduce.cpp calls them.
#define FOR_TYPE(T)                                                                        \
    template void launch_sum_atomic(T*, const T*, int64_t, float*, cudaStream_t);          \
    template void launch_sum_tree(T*, const T*, int64_t, float*, cudaStream_t);            \
    template void launch_sum_shuffle(T*, const T*, int64_t, float*, cudaStream_t);         \
    template void launch_sum_packs(T*, const T*, int64_t, float*, int, cudaStream_t);      \
    template void launch_sum_last_block(T*, const T*, int64_t, float*, int, cudaStream_t); \
    template void launch_sum_chunks(T*, const T*, int64_t, float*, int, cudaStream_t);     \
    template int64_t scratch_floats<T>(int64_t, int);
FOR_TYPE(float)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
