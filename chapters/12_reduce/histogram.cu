// histogram.cu: how often each value occurs, by atomics in global memory and in shared memory. No torch header in here.
#include "histogram.h"

#include <algorithm>
#include <stdexcept>

#include "common/cuda_check.h"
#include "common/device_attribute.h"
#include "common/grid.h"
#include "device/pack.h"
#include "common/shared_memory.h"

using Count = unsigned long long;  // atomicAdd() has no int64_t

// ---- an atomic for each element, in global memory -------------------------------------------------------------------

// As unsigned, a negative value is a large one, so a single comparison finds all values that have no bin.
template <class T>
__global__ void histogram_global_kernel(Count* counts, const T* x, int64_t n, unsigned bins) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && unsigned(x[i]) < bins) atomicAdd(&counts[x[i]], Count(1));
}

template <class T>
void launch_histogram_global(int64_t* counts, const T* x, int64_t n, int64_t bins, cudaStream_t stream) {
    CHECK_CUDA(cudaMemsetAsync(counts, 0, bins * sizeof(int64_t), stream));
    if (n == 0) return;
    auto* out = reinterpret_cast<Count*>(counts);
    histogram_global_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(out, x, n, unsigned(bins));
    CHECK_LAUNCH();
}

// ---- atomics in shared memory, in several copies -------------------------------------------------------------------

constexpr int THREADS = 1024, BLOCKS_PER_SM = 2;
constexpr int MOST_COPIES = 32;          // one for each lane
constexpr int COPIES_BYTES = 48 * 1024;  // for several copies, so that a multiprocessor has room for both blocks
constexpr int64_t COUNTED = INT32_MAX;   // elements that a block counts at most, because its counts have 32 bits

// counted[bin * copies + copy]: with 32 copies, each lane counts in a bank of its own, whatever the values are.
template <class P, class T>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    histogram_shared_kernel(Count* counts, const T* x, int64_t n, unsigned bins, int copies) {
    extern __shared__ unsigned counted[];
    for (int i = threadIdx.x; i < int(bins) * copies; i += THREADS) counted[i] = 0;
    __syncthreads();

    unsigned* const mine = counted + threadIdx.x % copies;
    const auto count = [&](T value) {
        if (unsigned(value) < bins) atomicAdd(&mine[unsigned(value) * copies], 1u);
    };
    const int64_t whole = n / P::SIZE, stride = int64_t(gridDim.x) * THREADS;
    const int64_t first = int64_t(blockIdx.x) * THREADS + threadIdx.x;
    const P* packs = reinterpret_cast<const P*>(x);
    if (first < n % P::SIZE) count(x[whole * P::SIZE + first]);
    for (int64_t i = first; i < whole; i += stride) {
        const P pack = packs[i];  // one load: 16 bytes
        for (const T value : pack.values) count(value);
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < int(bins); bin += THREADS) {
        Count sum = 0;
        for (int k = 0; k < copies; k++) sum += counted[bin * copies + (k + bin) % copies];  // lanes in different banks
        if (sum > 0) atomicAdd(&counts[bin], sum);
    }
}

int64_t shared_bins() { return most_shared_memory() / int64_t(sizeof(unsigned)); }

static int fitting_copies(int64_t bins) {
    int copies = MOST_COPIES;
    while (copies > 1 && bins * copies * int64_t(sizeof(unsigned)) > COPIES_BYTES) copies /= 2;
    return copies;
}

template <class T>
void launch_histogram_shared(int64_t* counts, const T* x, int64_t n, int64_t bins, int copies, cudaStream_t stream) {
    if (copies == 0) copies = fitting_copies(bins);
    const int64_t bytes = bins * copies * int64_t(sizeof(unsigned));
    if (bytes > shared_bins() * int64_t(sizeof(unsigned)))
        throw std::runtime_error("a histogram of so many bins does not fit into a block's shared memory");
    CHECK_CUDA(cudaMemsetAsync(counts, 0, bins * sizeof(int64_t), stream));
    if (n == 0) return;
    const auto kernel = aligned(x) ? histogram_shared_kernel<Pack<T>, T> : histogram_shared_kernel<LoosePack<T>, T>;
    if (bytes > 48 * 1024) allow_shared_memory(kernel);
    const int64_t needed = n / (THREADS * int64_t(Pack<T>::SIZE)) + 1;
    const int64_t fitting = device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
    const auto blocks = unsigned(std::max(std::min(needed, fitting), n / COUNTED + 1));
    auto* out = reinterpret_cast<Count*>(counts);
    kernel<<<blocks, THREADS, bytes, stream>>>(out, x, n, unsigned(bins), copies);
    CHECK_LAUNCH();
}

// nvcc generates code from a template only for types that somebody asks for. reduce.cpp calls the launchers for these.
#define FOR_TYPE(T)                                                                            \
    template void launch_histogram_global(int64_t*, const T*, int64_t, int64_t, cudaStream_t); \
    template void launch_histogram_shared(int64_t*, const T*, int64_t, int64_t, int, cudaStream_t);
FOR_TYPE(uint8_t)
FOR_TYPE(int32_t)
