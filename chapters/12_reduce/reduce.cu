// reduce.cu: the sum of an array in six kernels, each with one more idea. No torch header in here.
#include "reduce.h"

#include <algorithm>

#include "device/cache_hint.h"
#include "common/cuda_check.h"
#include "common/device_attribute.h"
#include "common/grid.h"
#include "device/number.h"
#include "device/pack.h"

constexpr int THREADS = 256;  // of a block, in the kernels with a thread for each element

// out = the total, rounded to T. The first four kernels need this launch: no block of theirs knows when the others have
// finished.
template <class T>
__global__ void round_kernel(T* out, const Number<T>* total) {
    *out = T(*total);
}

// What their launchers do: set the total to 0, launch the kernel, and round the total.
template <class T, class Launch>
static void with_total(T* out, void* scratch, int64_t n, cudaStream_t stream, Launch launch) {
    auto* const total = static_cast<Number<T>*>(scratch);
    CHECK_CUDA(cudaMemsetAsync(total, 0, sizeof *total, stream));
    if (n > 0) launch(total);  // CUDA refuses a grid of 0 blocks
    round_kernel<<<1, 1, 0, stream>>>(out, total);
    CHECK_LAUNCH();
}

// ---- an atomic for each element -------------------------------------------------------------------------------------

template <class T>
__global__ void sum_atomic_kernel(Number<T>* total, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, number(x[i]));
}

template <class T>
void launch_sum_atomic(T* out, const T* x, int64_t n, void* scratch, cudaStream_t stream) {
    with_total(out, scratch, n, stream, [&](Number<T>* total) {
        sum_atomic_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(total, x, n);
        CHECK_LAUNCH();
    });
}

// ---- an atomic for each block: a tree in shared memory --------------------------------------------------------------

// No thread returns early, because all threads of the block must come to each barrier. A thread past the end of x adds
// 0.
template <class T>
__global__ void sum_tree_kernel(Number<T>* total, const T* x, int64_t n) {
    __shared__ Number<T> sums[THREADS];  // a power of two: each level halves it
    const int64_t i = int64_t(blockIdx.x) * THREADS + threadIdx.x;
    sums[threadIdx.x] = i < n ? number(x[i]) : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, sums[0]);
}

template <class T>
void launch_sum_tree(T* out, const T* x, int64_t n, void* scratch, cudaStream_t stream) {
    with_total(out, scratch, n, stream, [&](Number<T>* total) {
        sum_tree_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(total, x, n);
        CHECK_LAUNCH();
    });
}

// ---- shuffles: a tree without memory and without barriers ----------------------------------------------------------

constexpr unsigned ALL = 0xffffffff;  // the 32 lanes of a warp

// Lane 0 gets the sum of the warp's values, and the other lanes get useless numbers. All 32 lanes must call this.
template <class N>
__device__ N warp_sum(N value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(ALL, value, distance);
    return value;
}

// Thread 0 gets the sum of the block's values: each warp adds its own, then one warp adds those of the warps. The block
// must have whole warps, and all of its threads must call this.
template <class N>
__device__ N block_sum(N value) {
    __shared__ N sums[32];  // a block has at most 32 warps
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    if (lane == 0) sums[warp] = value;
    __syncthreads();  // all sums are written
    if (warp == 0) value = warp_sum(lane < warps ? sums[lane] : 0);
    __syncthreads();  // warp 0 has read them: the next call may write
    return value;
}

template <class T>
__global__ void sum_shuffle_kernel(Number<T>* total, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const Number<T> sum = block_sum(i < n ? number(x[i]) : 0);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

template <class T>
void launch_sum_shuffle(T* out, const T* x, int64_t n, void* scratch, cudaStream_t stream) {
    with_total(out, scratch, n, stream, [&](Number<T>* total) {
        sum_shuffle_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(total, x, n);
        CHECK_LAUNCH();
    });
}

// ---- packs of 16 bytes, and a grid that fits the GPU ---------------------------------------------------------------

// 2 blocks of 512 threads with 8 packs each have 128 KiB in flight on a multiprocessor. Its 65536 registers are 64 for
// each thread, and half of these hold packs. __launch_bounds__ allows all 64: left to itself, nvcc 13.0 takes 32 to 34
// registers for floats, and has three or four packs in flight.
constexpr int LOADS = 8, PACK_THREADS = 512, BLOCKS_PER_SM = 2;
template <class T>
constexpr int64_t CHUNK = PACK_THREADS * LOADS * Pack<T>::SIZE;  // elements: one round of loads of a block, 64 KiB
// Up to this size, one block is faster than several that must find out which of them is the last.
constexpr int64_t ONE_BLOCK_BYTES = 256 * 1024;
constexpr int ONE_BLOCK_THREADS = 1024;
// For a large array, the grid has WAVES times as many blocks as the GPU holds. A multiprocessor that finishes sooner
// gets more of them. REFERENCE.md, "Waves", has times.
constexpr int WAVES = 16;

// A pack is read once, so the caches may evict it first: REFERENCE.md, "Read once". A LoosePack is read element by
// element. Its loads share sectors, so they get no such hint.
template <class T>
__device__ Pack<T> load(const Pack<T>* p) {
    return load_pack<Read::evict_first>(p);
}
template <class T>
__device__ LoosePack<T> load(const LoosePack<T>* p) {
    return *p;
}

// The sum of packs i, i + stride, i + 2 * stride and so on, of n elements. If the last elements do not fill a pack, the
// threads with i = 0, 1, 2 and so on add one of them each.
template <class P, class T>
__device__ Number<T> thread_sum(const T* x, int64_t n, int64_t i, int64_t stride) {
    const P* packs = reinterpret_cast<const P*>(x);
    const int64_t whole = n / P::SIZE, tail = n % P::SIZE;
    Number<T> sum = i < tail ? number(x[whole * P::SIZE + i]) : 0;
    for (; i < whole; i += LOADS * stride) {
        P loaded[LOADS] = {};            // a pack past the end stays 0
        for (int k = 0; k < LOADS; k++)  // all loads are in flight before the first addition waits
            if (i + k * stride < whole) loaded[k] = load(packs + i + k * stride);
        for (int k = 0; k < LOADS; k++) {
            Number<T> of_pack = 0;
            for (const T value : loaded[k].values) of_pack += number(value);
            sum += of_pack;
        }
    }
    return sum;
}

template <class P, class T>
__global__ void __launch_bounds__(ONE_BLOCK_THREADS, 1) sum_packs_kernel(Number<T>* total, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const Number<T> sum = block_sum(thread_sum<P>(x, n, i, int64_t(gridDim.x) * blockDim.x));
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

// As many blocks as the GPU holds at a time. WAVES times as many, if each of these then has three rounds of loads.
template <class T>
static int64_t most_blocks(int64_t n) {
    const int64_t resident = device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM, many = WAVES * resident;
    return n / CHUNK<T> >= 3 * many ? many : resident;
}

// most_blocks(), or fewer if the threads of some blocks would find no pack. A single block for few elements.
template <class T>
static int fitting_blocks(int64_t n) {
    if (n <= ONE_BLOCK_BYTES / int64_t(sizeof(T))) return 1;
    return int(std::min(most_blocks<T>(n), n / (PACK_THREADS * Pack<T>::SIZE)));
}

static int threads_for(int blocks) { return blocks == 1 ? ONE_BLOCK_THREADS : PACK_THREADS; }

template <class T>
void launch_sum_packs(T* out, const T* x, int64_t n, void* scratch, int blocks, cudaStream_t stream) {
    if (blocks == 0) blocks = fitting_blocks<T>(n);
    const auto kernel = aligned(x) ? sum_packs_kernel<Pack<T>, T> : sum_packs_kernel<LoosePack<T>, T>;
    with_total(out, scratch, n, stream, [&](Number<T>* total) {
        kernel<<<blocks, threads_for(blocks), 0, stream>>>(total, x, n);
        CHECK_LAUNCH();
    });
}

// ---- the last block finishes: no atomic adds, so the order of the additions is fixed -------------------------------

// Whether this block is the last one of the grid to call this. *ticket counts the calls from 0 on. The threads of the
// last block see what thread 0 of every other block wrote before its call.
__device__ inline bool is_last_block(unsigned* ticket) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();  // no block sees this ticket taken before it sees the partial sum
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();  // and only then does this block read what the others wrote
    }
    __syncthreads();
    return last;
}

// out = the sum of `count` partial sums, by one block.
template <class T>
__device__ void finish(T* out, const Number<T>* partial, int64_t count) {
    const Number<T> sum = block_sum(thread_sum<Pack<Number<T>>>(partial, count, threadIdx.x, blockDim.x));
    if (threadIdx.x == 0) *out = T(sum);
}

template <class P, class T>
__global__ void __launch_bounds__(ONE_BLOCK_THREADS, 1)
    sum_last_block_kernel(T* out, Number<T>* partial, unsigned* ticket, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const Number<T> sum = block_sum(thread_sum<P>(x, n, i, int64_t(gridDim.x) * blockDim.x));
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *out = T(sum);
        return;
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
    if (is_last_block(ticket)) finish(out, partial, gridDim.x);
}

// The scratch memory: the ticket, then the partial sums from the next multiple of 16 bytes on.
constexpr int64_t TICKET_BYTES = 16;
static unsigned* ticket_in(void* scratch) { return static_cast<unsigned*>(scratch); }
template <class T>
static Number<T>* partial_in(void* scratch) {
    return reinterpret_cast<Number<T>*>(static_cast<char*>(scratch) + TICKET_BYTES);
}

template <class T>
void launch_sum_last_block(T* out, const T* x, int64_t n, void* scratch, int blocks, cudaStream_t stream) {
    if (n == 0) return CHECK_CUDA(cudaMemsetAsync(out, 0, sizeof(T), stream));
    if (blocks == 0) blocks = fitting_blocks<T>(n);
    if (blocks > 1) CHECK_CUDA(cudaMemsetAsync(scratch, 0, sizeof(unsigned), stream));  // each launch counts from 0
    const auto kernel = aligned(x) ? sum_last_block_kernel<Pack<T>, T> : sum_last_block_kernel<LoosePack<T>, T>;
    kernel<<<blocks, threads_for(blocks), 0, stream>>>(out, partial_in<T>(scratch), ticket_in(scratch), x, n);
    CHECK_LAUNCH();
}

// ---- the same bits on every GPU: partial sums of chunks whose size no GPU decides ----------------------------------

template <class T>
static int64_t chunks_of(int64_t n) {
    return (n + CHUNK<T> - 1) / CHUNK<T>;
}

// A block adds one chunk after another, so any grid gives the same partial sums. For a small array, the default grid
// has a block for each chunk.
template <class P, class T>
__global__ void __launch_bounds__(PACK_THREADS, BLOCKS_PER_SM)
    sum_chunks_kernel(T* out, Number<T>* partial, unsigned* ticket, const T* x, int64_t n, int64_t chunks) {
    for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        const int64_t first = chunk * CHUNK<T>, size = min(CHUNK<T>, n - first);
        const Number<T> sum = block_sum(thread_sum<P>(x + first, size, threadIdx.x, PACK_THREADS));
        if (threadIdx.x == 0) partial[chunk] = sum;
    }
    if (is_last_block(ticket)) finish(out, partial, chunks);
}

template <class T>
void launch_sum_chunks(T* out, const T* x, int64_t n, void* scratch, int blocks, cudaStream_t stream) {
    if (n == 0) return CHECK_CUDA(cudaMemsetAsync(out, 0, sizeof(T), stream));
    const int64_t chunks = chunks_of<T>(n);
    if (blocks == 0) blocks = int(std::min(chunks, most_blocks<T>(n)));
    CHECK_CUDA(cudaMemsetAsync(scratch, 0, sizeof(unsigned), stream));
    const auto kernel = aligned(x) ? sum_chunks_kernel<Pack<T>, T> : sum_chunks_kernel<LoosePack<T>, T>;
    kernel<<<blocks, PACK_THREADS, 0, stream>>>(out, partial_in<T>(scratch), ticket_in(scratch), x, n, chunks);
    CHECK_LAUNCH();
}

template <class T>
int64_t scratch_bytes(int64_t n, int blocks) {
    const int64_t of_grid = blocks > 0 ? blocks : fitting_blocks<T>(n);
    return TICKET_BYTES + std::max(chunks_of<T>(n), of_grid) * int64_t(sizeof(Number<T>));
}

// nvcc generates code from a template only for types that somebody asks for. reduce.cpp calls the launchers for these.
#define FOR_TYPE(T)                                                                       \
    template void launch_sum_atomic(T*, const T*, int64_t, void*, cudaStream_t);          \
    template void launch_sum_tree(T*, const T*, int64_t, void*, cudaStream_t);            \
    template void launch_sum_shuffle(T*, const T*, int64_t, void*, cudaStream_t);         \
    template void launch_sum_packs(T*, const T*, int64_t, void*, int, cudaStream_t);      \
    template void launch_sum_last_block(T*, const T*, int64_t, void*, int, cudaStream_t); \
    template void launch_sum_chunks(T*, const T*, int64_t, void*, int, cudaStream_t);     \
    template int64_t scratch_bytes<T>(int64_t, int);
FOR_TYPE(float)
FOR_TYPE(double)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
