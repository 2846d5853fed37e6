// Tuning of chapter 12 on an H200: variants of the sum and of the histogram beside a copy, a plain read and CUB.
//   nvcc -O3 -arch=sm_90 -std=c++17 tune.cu -o tune && ./tune            (< 60 s)      ./tune sum|small|histogram: one
//   part
// Each line: time (median of 20, cold L2), GB/s, fraction of the copy, "WRONG" where the result is wrong. The best of
// each part again at its end. What to change where: see README.txt beside this file.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                                       \
    do {                                                                                                  \
        const cudaError_t error = (call);                                                                 \
        if (error != cudaSuccess) {                                                                       \
            std::fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)); \
            std::exit(1);                                                                                 \
        }                                                                                                 \
    } while (0)

constexpr size_t FLUSH = size_t(768) << 20;
static void* flush_memory;
static double copy_rate = 1;  // bytes a second
static int sms;

static double seconds(const std::function<void()>& call, int repeats = 20) {
    std::vector<cudaEvent_t> begin(repeats), end(repeats);
    for (int i = 0; i < 3; i++) call();
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < repeats; i++) {
        CHECK(cudaEventCreate(&begin[i]));
        CHECK(cudaEventCreate(&end[i]));
        CHECK(cudaMemsetAsync(flush_memory, i, FLUSH));
        CHECK(cudaEventRecord(begin[i]));
        call();
        CHECK(cudaEventRecord(end[i]));
    }
    CHECK(cudaDeviceSynchronize());
    std::vector<float> ms(repeats);
    for (int i = 0; i < repeats; i++) {
        CHECK(cudaEventElapsedTime(&ms[i], begin[i], end[i]));
        CHECK(cudaEventDestroy(begin[i]));
        CHECK(cudaEventDestroy(end[i]));
    }
    std::sort(ms.begin(), ms.end());
    return ms[repeats / 2] / 1e3;
}

struct Best {
    std::string name;
    double time = 1e9;
};
static Best best;

static void report(const std::string& name, double bytes, double time, bool right = true) {
    std::printf("  %-58s %9.2f us %7.0f GB/s %6.3f of copy%s\n", name.c_str(), time * 1e6, bytes / time / 1e9,
                bytes / time / copy_rate, right ? "" : "   WRONG");
    if (right && time < best.time) best = {name, time};
}

// ---- what all variants share ----------------------------------------------------------------------------------------
template <class T>
struct alignas(16) Pack {
    static constexpr int SIZE = 16 / sizeof(T);
    T values[SIZE];
};

enum Load { PLAIN, STREAMING, NO_ALLOCATE };

template <Load HOW, class P>
__device__ P load(const P* p) {
    if constexpr (HOW == PLAIN) return *p;
    uint4 v;
    if constexpr (HOW == STREAMING) v = __ldcs(reinterpret_cast<const uint4*>(p));
    if constexpr (HOW == NO_ALLOCATE)
        asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    P out;
    memcpy(&out, &v, 16);
    return out;
}

__device__ inline float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(~0u, value, distance);
    return value;
}

__device__ inline float block_sum(float value) {
    __shared__ float sums[32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    if (warp == 0) value = warp_sum(lane < warps ? sums[lane] : 0);
    __syncthreads();
    return value;
}

template <int LOADS, Load HOW, class T>
__device__ float thread_sum(const T* x, int64_t n, int64_t i, int64_t stride) {
    using P = Pack<T>;
    const P* packs = reinterpret_cast<const P*>(x);
    const int64_t whole = n / P::SIZE, rest = n % P::SIZE;
    float sum = i < rest ? float(x[whole * P::SIZE + i]) : 0;
    for (; i < whole; i += LOADS * stride) {
        P loaded[LOADS] = {};
        for (int k = 0; k < LOADS; k++)
            if (i + k * stride < whole) loaded[k] = load<HOW>(packs + i + k * stride);
        for (int k = 0; k < LOADS; k++) {
            float of_pack = 0;
            for (const T value : loaded[k].values) of_pack += float(value);
            sum += of_pack;
        }
    }
    return sum;
}

__device__ inline bool is_last_block(unsigned* ticket) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

template <class T>
__device__ void finish(T* out, const float* partial, int64_t count) {
    const float sum = block_sum(thread_sum<8, PLAIN>(partial, count, threadIdx.x, blockDim.x));
    if (threadIdx.x == 0) *out = T(sum);
}

// ---- variants of the sum
// ---------------------------------------------------------------------------------------------- One contiguous stretch
// of the array for each block, or a grid-stride loop.
template <class T, int THREADS, int BLOCKS, int LOADS, Load HOW>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    last_block(T* out, float* partial, unsigned* ticket, const T* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * THREADS + threadIdx.x;
    const float sum = block_sum(thread_sum<LOADS, HOW>(x, n, i, int64_t(gridDim.x) * THREADS));
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *out = T(sum);
        return;
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
    if (is_last_block(ticket)) finish(out, partial, gridDim.x);
}

// ROUNDS rounds of loads for each chunk.
template <class T, int THREADS, int BLOCKS, int LOADS, int ROUNDS, Load HOW>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    chunks_kernel(T* out, float* partial, unsigned* ticket, const T* x, int64_t n, int64_t chunks) {
    constexpr int64_t CHUNK = int64_t(THREADS) * LOADS * ROUNDS * Pack<T>::SIZE;
    for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        const int64_t first = chunk * CHUNK, size = min(CHUNK, n - first);
        const float sum = block_sum(thread_sum<LOADS, HOW>(x + first, size, threadIdx.x, THREADS));
        if (threadIdx.x == 0) partial[chunk] = sum;
    }
    if (is_last_block(ticket)) finish(out, partial, chunks);
}

// The same without barriers in the loop: one partial sum for each warp and chunk.
template <class T, int THREADS, int BLOCKS, int LOADS, int ROUNDS, Load HOW>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    warp_chunks(T* out, float* partial, unsigned* ticket, const T* x, int64_t n, int64_t chunks) {
    constexpr int64_t CHUNK = int64_t(32) * LOADS * ROUNDS * Pack<T>::SIZE;  // of a warp
    const int lane = threadIdx.x % 32;
    const int64_t warps = int64_t(gridDim.x) * (THREADS / 32);
    for (int64_t chunk = int64_t(blockIdx.x) * (THREADS / 32) + threadIdx.x / 32; chunk < chunks; chunk += warps) {
        const int64_t first = chunk * CHUNK, size = min(CHUNK, n - first);
        const float sum = warp_sum(thread_sum<LOADS, HOW>(x + first, size, lane, 32));
        if (lane == 0) {
            partial[chunk] = sum;
            __threadfence();  // each warp's lane 0 has written
        }
    }
    __syncthreads();
    if (is_last_block(ticket)) finish(out, partial, chunks);
}

// Nothing but reads: the limit.
template <int THREADS, int BLOCKS, int LOADS, Load HOW>
__global__ void __launch_bounds__(THREADS, BLOCKS) read_kernel(float* out, const float* x, int64_t n) {
    const float sum =
        thread_sum<LOADS, HOW>(x, n, int64_t(blockIdx.x) * THREADS + threadIdx.x, int64_t(gridDim.x) * THREADS);
    if (sum == -1) *out = sum;
}

__global__ void copy_kernel(uint4* out, const uint4* x, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) __stcs(out + i, x[i]);
}

template <class T>
__global__ void fill(T* x, int64_t n) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
        x[i] = T(float((unsigned(i) * 2654435761u >> 16) % 1024) / 1024);
}

template <class T>
__global__ void exact(double* out, const T* x, int64_t n) {
    double sum = 0;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
        sum += double(float(x[i]));
    atomicAdd(out, sum);
}

template <class T>
struct Case {
    T *x, *out;
    float* scratch;  // ticket, then partial sums
    int64_t n;
    double expected, tolerance;

    explicit Case(int64_t size) : n(size), tolerance(sizeof(T) == 2 ? 0.01 : 1e-5) {
        double* sum;
        CHECK(cudaMalloc(&x, n * sizeof(T)));
        CHECK(cudaMalloc(&out, 16));
        CHECK(cudaMalloc(&scratch, (n / 256 + 65536) * sizeof(float)));
        CHECK(cudaMalloc(&sum, 8));
        CHECK(cudaMemset(sum, 0, 8));
        fill<<<1024, 256>>>(x, n);
        exact<<<1024, 256>>>(sum, x, n);
        CHECK(cudaMemcpy(&expected, sum, 8, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(sum));
    }
    ~Case() {
        cudaFree(x);
        cudaFree(out);
        cudaFree(scratch);
    }
    double bytes() const { return double(n) * sizeof(T); }

    bool right() const {
        T result;
        CHECK(cudaMemcpy(&result, out, sizeof(T), cudaMemcpyDeviceToHost));
        return std::abs(double(float(result)) - expected) <= tolerance * expected;
    }
    void time(const std::string& name, const std::function<void()>& call) const {
        CHECK(cudaMemset(out, 0, sizeof(T)));
        const double t = seconds(call);
        CHECK(cudaGetLastError());
        report(name, bytes(), t, right());
    }
    void zero() const { CHECK(cudaMemsetAsync(scratch, 0, 4)); }
    unsigned* ticket() const { return reinterpret_cast<unsigned*>(scratch); }

    template <int THREADS, int BLOCKS, int LOADS, Load HOW = PLAIN>
    void try_last_block(int per_sm = BLOCKS) const {
        char name[100];
        std::snprintf(name, 100, "last_block  %4d threads x %d an SM, %2d loads%s, grid %d", THREADS, BLOCKS, LOADS,
                      HOW == PLAIN       ? ""
                      : HOW == STREAMING ? " ldcs"
                                         : " no_alloc",
                      per_sm * sms);
        time(name, [&] {
            zero();
            last_block<T, THREADS, BLOCKS, LOADS, HOW><<<per_sm * sms, THREADS>>>(out, scratch + 4, ticket(), x, n);
        });
    }
    // grid: blocks for each multiprocessor, 0: a block for each chunk
    template <int THREADS, int BLOCKS, int LOADS, int ROUNDS, Load HOW = PLAIN>
    void try_chunks(int grid = 0) const {
        const int64_t chunk = int64_t(THREADS) * LOADS * ROUNDS * Pack<T>::SIZE, chunks = (n + chunk - 1) / chunk;
        char name[100];
        std::snprintf(name, 100, "chunks      %4d threads x %d an SM, %2d loads x %d%s, %s", THREADS, BLOCKS, LOADS,
                      ROUNDS,
                      HOW == PLAIN       ? ""
                      : HOW == STREAMING ? " ldcs"
                                         : " no_alloc",
                      grid ? "resident" : "a block each");
        time(name, [&] {
            zero();
            chunks_kernel<T, THREADS, BLOCKS, LOADS, ROUNDS, HOW>
                <<<grid ? std::min<int64_t>(grid * sms, chunks) : chunks, THREADS>>>(out, scratch + 4, ticket(), x, n,
                                                                                     chunks);
        });
    }
    template <int THREADS, int BLOCKS, int LOADS, int ROUNDS, Load HOW = PLAIN>
    void try_warps(int grid = 0) const {
        const int64_t chunk = int64_t(32) * LOADS * ROUNDS * Pack<T>::SIZE, chunks = (n + chunk - 1) / chunk;
        const int64_t all = (chunks + THREADS / 32 - 1) / (THREADS / 32);
        char name[100];
        std::snprintf(name, 100, "warp_chunks %4d threads x %d an SM, %2d loads x %d, %s", THREADS, BLOCKS, LOADS,
                      ROUNDS, grid ? "resident" : "a block each");
        time(name, [&] {
            zero();
            warp_chunks<T, THREADS, BLOCKS, LOADS, ROUNDS, HOW>
                <<<grid ? std::min<int64_t>(grid * sms, all) : all, THREADS>>>(out, scratch + 4, ticket(), x, n,
                                                                               chunks);
        });
    }
};

template <class T>
static void of_large(const char* name, int64_t n) {
    std::printf("\nsum of 2^%d %s\n", int(std::log2(double(n))), name);
    best = {};
    const Case<T> c(n);
    if constexpr (sizeof(T) == 4) {
        c.time("(read only, 512 x 2, 8 loads: no result)",
               [&] { read_kernel<512, 2, 8, PLAIN><<<2 * sms, 512>>>(c.out, c.x, n); });
        c.time("(read only, 256 x 8, 4 loads: no result)",
               [&] { read_kernel<256, 8, 4, PLAIN><<<8 * sms, 256>>>(c.out, c.x, n); });
        size_t bytes = 0;
        void* memory = nullptr;
        CHECK(cub::DeviceReduce::Sum(nullptr, bytes, c.x, c.out, n));
        CHECK(cudaMalloc(&memory, bytes));
        c.time("cub::DeviceReduce::Sum", [&] { CHECK(cub::DeviceReduce::Sum(memory, bytes, c.x, c.out, n)); });
        CHECK(cudaFree(memory));
        best = {};
    }
    c.template try_last_block<512, 2, 8>();  // as in the chapter
    c.template try_last_block<1024, 1, 8>();
    c.template try_last_block<1024, 2, 4>();
    c.template try_last_block<512, 3, 4>();
    c.template try_last_block<512, 4, 4>();
    c.template try_last_block<512, 4, 2>();
    c.template try_last_block<256, 4, 8>();
    c.template try_last_block<256, 8, 4>();
    c.template try_last_block<256, 6, 6>();
    c.template try_last_block<128, 8, 8>();
    c.template try_last_block<512, 2, 8>(4);  // more blocks than fit
    c.template try_last_block<512, 2, 8>(16);
    c.template try_last_block<256, 4, 8>(32);
    c.template try_last_block<512, 2, 8, STREAMING>();
    c.template try_last_block<512, 2, 8, NO_ALLOCATE>();
    c.template try_last_block<256, 8, 4, STREAMING>();
    c.template try_last_block<256, 8, 4, NO_ALLOCATE>();
    std::printf("  best: %s\n", best.name.c_str());
    best = {};
    c.template try_chunks<512, 2, 8, 1>();  // as in the chapter
    c.template try_chunks<512, 2, 8, 1>(2);
    c.template try_chunks<512, 2, 8, 2>();
    c.template try_chunks<512, 2, 8, 4>();
    c.template try_chunks<512, 2, 8, 8>();
    c.template try_chunks<512, 2, 8, 4>(2);
    c.template try_chunks<512, 4, 4, 2>();
    c.template try_chunks<512, 4, 4, 4>();
    c.template try_chunks<512, 4, 4, 8>();
    c.template try_chunks<256, 4, 8, 1>();
    c.template try_chunks<256, 4, 8, 2>();
    c.template try_chunks<256, 4, 8, 4>();
    c.template try_chunks<256, 4, 8, 8>();
    c.template try_chunks<256, 8, 4, 2>();
    c.template try_chunks<256, 8, 4, 4>();
    c.template try_chunks<256, 8, 4, 8>();
    c.template try_chunks<128, 8, 8, 4>();
    c.template try_chunks<128, 8, 8, 8>();
    c.template try_chunks<1024, 1, 8, 1>();
    c.template try_chunks<1024, 2, 4, 2>();
    c.template try_chunks<512, 2, 8, 2, STREAMING>();
    c.template try_chunks<512, 2, 8, 2, NO_ALLOCATE>();
    c.template try_chunks<256, 4, 8, 4, NO_ALLOCATE>();
    c.template try_warps<512, 2, 8, 2>(2);
    c.template try_warps<512, 2, 8, 8>(2);
    c.template try_warps<512, 2, 8, 8>();
    c.template try_warps<256, 8, 4, 16>();
    std::printf("  best: %s\n", best.name.c_str());
}

// Where does one block stop being the fastest? The memset of the ticket counts.
static void of_small() {
    for (int k = 10; k <= 21; k++) {
        const int64_t n = int64_t(1) << k;
        std::printf("\nsum of 2^%d float32, %lld KiB\n", k, (long long)(n / 256));
        best = {};
        const Case<float> c(n);
        size_t bytes = 0;
        void* memory = nullptr;
        CHECK(cub::DeviceReduce::Sum(nullptr, bytes, c.x, c.out, n));
        CHECK(cudaMalloc(&memory, bytes));
        c.time("cub::DeviceReduce::Sum", [&] { CHECK(cub::DeviceReduce::Sum(memory, bytes, c.x, c.out, n)); });
        CHECK(cudaFree(memory));
        const auto one = [&](auto kernel, int threads, const char* name) {
            c.time(name, [&] { kernel<<<1, threads>>>(c.out, c.scratch + 4, c.ticket(), c.x, n); });
        };
        one(last_block<float, 256, 1, 8, PLAIN>, 256, "one block of 256 threads, 8 loads");
        one(last_block<float, 512, 1, 8, PLAIN>, 512, "one block of 512 threads, 8 loads");
        one(last_block<float, 1024, 1, 8, PLAIN>, 1024, "one block of 1024 threads, 8 loads (chapter)");
        one(last_block<float, 1024, 1, 4, PLAIN>, 1024, "one block of 1024 threads, 4 loads");
        one(last_block<float, 512, 1, 16, PLAIN>, 512, "one block of 512 threads, 16 loads");
        for (int blocks : {4, 16, 64, 132, 264}) {
            if (int64_t(blocks) * 512 * 4 > 4 * n) continue;
            char name[80];
            std::snprintf(name, 80, "memset, then %d blocks of 512 threads", blocks);
            c.time(name, [&] {
                c.zero();
                last_block<float, 512, 2, 8, PLAIN><<<blocks, 512>>>(c.out, c.scratch + 4, c.ticket(), c.x, n);
            });
            std::snprintf(name, 80, "%d blocks of 512 threads, then a second launch", blocks);
            // Partial sums by blocks of one chunk each, added by another kernel: no ticket.
            c.time(name, [&] {
                c.zero();
                last_block<float, 512, 2, 8, PLAIN><<<blocks, 512>>>(c.out, c.scratch + 4, c.ticket(), c.x, n);
                last_block<float, 512, 1, 8, PLAIN>
                    <<<1, 512>>>(c.out, c.scratch + 4, c.ticket(), c.scratch + 4, blocks);
            });
        }
        std::printf("  best: %s\n", best.name.c_str());
    }
}

// ---- histogram of bytes
// -----------------------------------------------------------------------------------------------
using Count = unsigned long long;

// AGGREGATE: a thread adds up neighbours that are equal before it counts them.
template <int THREADS, int BLOCKS, int LOADS, int COPIES, bool AGGREGATE>
__global__ void __launch_bounds__(THREADS, BLOCKS) histogram(Count* counts, const uint8_t* x, int64_t n) {
    extern __shared__ unsigned counted[];
    for (int i = threadIdx.x; i < 256 * COPIES; i += THREADS) counted[i] = 0;
    __syncthreads();
    unsigned* const mine = counted + threadIdx.x % COPIES;
    const Pack<uint8_t>* packs = reinterpret_cast<const Pack<uint8_t>*>(x);
    const int64_t whole = n / 16, stride = int64_t(gridDim.x) * THREADS;
    for (int64_t i = int64_t(blockIdx.x) * THREADS + threadIdx.x; i < whole; i += LOADS * stride) {
        Pack<uint8_t> loaded[LOADS];
        for (int k = 0; k < LOADS; k++)
            if (i + k * stride < whole) loaded[k] = packs[i + k * stride];
        for (int k = 0; k < LOADS; k++) {
            if (i + k * stride >= whole) break;
            if constexpr (AGGREGATE) {
                int value = loaded[k].values[0], times = 1;
                for (int j = 1; j < 16; j++) {
                    if (loaded[k].values[j] == value) {
                        times++;
                    } else {
                        atomicAdd(&mine[value * COPIES], times);
                        value = loaded[k].values[j], times = 1;
                    }
                }
                atomicAdd(&mine[value * COPIES], times);
            } else {
                for (const uint8_t value : loaded[k].values) atomicAdd(&mine[value * COPIES], 1u);
            }
        }
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += THREADS) {
        Count sum = 0;
        for (int k = 0; k < COPIES; k++) sum += counted[bin * COPIES + (k + bin) % COPIES];
        if (sum > 0) atomicAdd(&counts[bin], sum);
    }
}

// A pack is all one value, or it is not: two ways, chosen for each pack.
template <int THREADS, int BLOCKS, int LOADS, int COPIES>
__global__ void __launch_bounds__(THREADS, BLOCKS) histogram_equal_packs(Count* counts, const uint8_t* x, int64_t n) {
    extern __shared__ unsigned counted[];
    for (int i = threadIdx.x; i < 256 * COPIES; i += THREADS) counted[i] = 0;
    __syncthreads();
    unsigned* const mine = counted + threadIdx.x % COPIES;
    const uint4* packs = reinterpret_cast<const uint4*>(x);
    const int64_t whole = n / 16, stride = int64_t(gridDim.x) * THREADS;
    for (int64_t i = int64_t(blockIdx.x) * THREADS + threadIdx.x; i < whole; i += LOADS * stride) {
        uint4 loaded[LOADS];
        for (int k = 0; k < LOADS; k++)
            if (i + k * stride < whole) loaded[k] = packs[i + k * stride];
        for (int k = 0; k < LOADS; k++) {
            if (i + k * stride >= whole) break;
            const uint4 v = loaded[k];
            if (v.x == v.y && v.y == v.z && v.z == v.w && v.x == __byte_perm(v.x, 0, 0)) {
                atomicAdd(&mine[(v.x & 255) * COPIES], 16u);
            } else {
                for (const unsigned word : {v.x, v.y, v.z, v.w})
                    for (int shift = 0; shift < 32; shift += 8) atomicAdd(&mine[(word >> shift & 255) * COPIES], 1u);
            }
        }
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += THREADS) {
        Count sum = 0;
        for (int k = 0; k < COPIES; k++) sum += counted[bin * COPIES + (k + bin) % COPIES];
        if (sum > 0) atomicAdd(&counts[bin], sum);
    }
}

__global__ void fill_bytes(uint8_t* x, int64_t n, int kind) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        unsigned h = unsigned(i) * 2654435761u;  // a hash: neighbours must not follow one another
        h ^= h >> 15, h *= 2246822519u, h ^= h >> 13, h *= 3266489917u, h ^= h >> 16;
        x[i] = kind == 0 ? h : kind == 1 ? 7 : kind == 2 ? h % 4 : uint8_t(i >> 20);
    }
}

__global__ void expected_counts(Count* counts, const uint8_t* x, int64_t n) {
    __shared__ unsigned counted[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) counted[i] = 0;
    __syncthreads();
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
        atomicAdd(&counted[x[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&counts[i], Count(counted[i]));
}

static void of_bytes() {
    const int64_t n = int64_t(1) << 28;
    uint8_t* x;
    Count* counts;
    CHECK(cudaMalloc(&x, n));
    CHECK(cudaMalloc(&counts, 256 * 8));
    const char* kinds[] = {"random", "constant", "4 values", "sorted"};
    for (int kind = 0; kind < 4; kind++) {
        std::printf("\nhistogram of 2^28 bytes, %s\n", kinds[kind]);
        best = {};
        fill_bytes<<<4096, 256>>>(x, n, kind);
        std::vector<Count> right(256), got(256);
        CHECK(cudaMemset(counts, 0, 2048));
        expected_counts<<<1056, 256>>>(counts, x, n);
        CHECK(cudaMemcpy(right.data(), counts, 2048, cudaMemcpyDeviceToHost));
        const auto one = [&](auto kernel, int threads, int per_sm, int copies, const char* name) {
            const int shared = 256 * copies * 4;
            CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
            const double t = seconds([&] {
                CHECK(cudaMemsetAsync(counts, 0, 2048));
                kernel<<<per_sm * sms, threads, shared>>>(counts, x, n);
            });
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(got.data(), counts, 2048, cudaMemcpyDeviceToHost));
            report(name, n, t, got == right);
        };
#define ONE(THREADS, BLOCKS, LOADS, COPIES, AGGREGATE)                                 \
    one(histogram<THREADS, BLOCKS, LOADS, COPIES, AGGREGATE>, THREADS, BLOCKS, COPIES, \
        #THREADS " threads x " #BLOCKS ", " #LOADS " loads, " #COPIES " copies")
#define TRY(THREADS, BLOCKS, LOADS, COPIES) ONE(THREADS, BLOCKS, LOADS, COPIES, false);
        TRY(512, 3, 2, 32)  // as in the chapter
        TRY(512, 3, 2, 1)
        TRY(512, 4, 2, 1)
        TRY(512, 4, 1, 1)
        TRY(512, 4, 2, 4)
        TRY(512, 4, 2, 8)
        TRY(512, 4, 2, 16)
        TRY(512, 4, 1, 32)
        TRY(512, 4, 2, 32)
        TRY(512, 2, 4, 32)
        TRY(1024, 1, 2, 32)
        TRY(1024, 2, 1, 32)
        TRY(1024, 2, 1, 16)
        TRY(256, 6, 2, 32)
        TRY(256, 6, 1, 32)
        TRY(256, 6, 2, 16)
        TRY(128, 6, 4, 32)
        one(histogram<512, 3, 2, 32, true>, 512, 3, 32,
            "512 threads x 3, 2 loads, 32 copies, equal neighbours together");
        one(histogram<512, 4, 2, 1, true>, 512, 4, 1, "512 threads x 4, 2 loads, 1 copy, equal neighbours together");
        one(histogram<512, 4, 2, 8, true>, 512, 4, 8, "512 threads x 4, 2 loads, 8 copies, equal neighbours together");
        one(histogram_equal_packs<512, 3, 2, 32>, 512, 3, 32,
            "512 threads x 3, 2 loads, 32 copies, equal packs at once");
        one(histogram_equal_packs<512, 4, 2, 1>, 512, 4, 1, "512 threads x 4, 2 loads, 1 copy, equal packs at once");
        one(histogram_equal_packs<512, 4, 2, 8>, 512, 4, 8, "512 threads x 4, 2 loads, 8 copies, equal packs at once");
        {
            size_t bytes = 0;
            void* memory = nullptr;
            int* out = nullptr;
            CHECK(cudaMalloc(&out, 1024));
            const auto run = [&] {
                return cub::DeviceHistogram::HistogramEven(memory, bytes, x, out, 257, 0, 256, int(n));
            };
            CHECK(run());
            CHECK(cudaMalloc(&memory, bytes));
            report("(cub::DeviceHistogram)", n, seconds([&] { CHECK(run()); }));
            CHECK(cudaFree(memory));
            CHECK(cudaFree(out));
        }
        std::printf("  best: %s\n", best.name.c_str());
    }
    CHECK(cudaFree(x));
    CHECK(cudaFree(counts));
}

int main(int count, char** arguments) {
    const std::string part = count > 1 ? arguments[1] : "";
    CHECK(cudaMalloc(&flush_memory, FLUSH));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    {
        const int64_t n = int64_t(1) << 26;  // 1 GiB of uint4
        uint4 *a, *b;
        CHECK(cudaMalloc(&a, n * 16));
        CHECK(cudaMalloc(&b, n * 16));
        CHECK(cudaMemset(a, 1, n * 16));
        copy_rate = 2.0 * n * 16 / seconds([&] { CHECK(cudaMemcpyAsync(b, a, n * 16, cudaMemcpyDeviceToDevice)); });
        std::printf("cudaMemcpy of 1 GiB: %.0f GB/s\n", copy_rate / 1e9);
        report("copy kernel, a thread an uint4", 2.0 * n * 16,
               seconds([&] { copy_kernel<<<unsigned(n / 256), 256>>>(b, a, n); }));
        CHECK(cudaFree(a));
        CHECK(cudaFree(b));
    }
    if (part.empty() || part == "sum") {
        of_large<float>("float32", int64_t(1) << 28);
        of_large<__nv_bfloat16>("bfloat16", int64_t(1) << 28);
    }
    if (part.empty() || part == "small") of_small();
    if (part.empty() || part == "histogram") of_bytes();
}
