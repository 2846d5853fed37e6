// Kernels that access memory in ways that cost more than they need, and some that do not. test_microscope.py has what
// the warps of each ask for, worked out by hand; tools/maintain/counters.py has a GPU count the same.
//
// Each kernel has 4 blocks of 256 threads, unless it says otherwise: 32 warps.
#include <cuda_pipeline.h>
#include <stdint.h>

#include "expect.h"

constexpr int threads = 256, blocks = 4, n = threads * blocks;

__device__ int index() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

// ---- global memory -------------------------------------------------------------------------------------------------

__global__ void coalesced(float* out, const float* in) { out[index()] = in[index()]; }
__global__ void backwards(float* out, const float* in) { out[index()] = in[n - 1 - index()]; }
__global__ void shuffled(float* out, const float* in) { out[index()] = in[index() ^ 21]; }
__global__ void one_further(float* out, const float* in) { out[index()] = in[index() + 1]; }
__global__ void stores_one_further(float* out, const float* in) { out[index() + 1] = in[index()]; }
__global__ void all_the_same(float* out, const float* in) { out[index()] = in[blockIdx.x]; }

#define STRIDED(N) \
    __global__ void strided##N(float* out, const float* in) { out[index()] = in[index() * N]; }
STRIDED(2)
STRIDED(3)
STRIDED(4)
STRIDED(8)
STRIDED(32)
// 32 threads down a column of a matrix with rows of 32 elements, as a row of the result.
__global__ void column(float* out, const float* in) {
    const int x = threadIdx.x % 32, y = threadIdx.x / 32 + 8 * blockIdx.x;
    out[y * 32 + x] = in[x * 32 + y];
}
__global__ void stores_column(float* out, const float* in) {
    const int x = threadIdx.x % 32, y = threadIdx.x / 32 + 8 * blockIdx.x;
    out[x * 32 + y] = in[y * 32 + x];
}

__global__ void bytes(uint8_t* out, const uint8_t* in) { out[index()] = in[index()]; }
__global__ void doubles(double* out, const double* in) { out[index()] = in[index()]; }
__global__ void float4s(float4* out, const float4* in) { out[index()] = in[index()]; }
__global__ void float4s_added(float4* out, const float4* in) {
    const float4 a = in[index()], b = in[index() + n];
    out[index()] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
struct alignas(16) Eight {
    uint16_t values[8];
};
__global__ void own_struct(Eight* out, const Eight* in) { out[index()] = in[index()]; }
// 12 bytes that are a multiple of 4 only: three loads and three stores of 4 bytes.
__global__ void float3s(float3* out, const float3* in) { out[index()] = in[index()]; }
// The same of 16 bytes, wherever they lie.
struct FourFloats {
    float values[4];
};
__global__ void loose_struct(FourFloats* out, const FourFloats* in) { out[index()] = in[index()]; }
// nvcc copies these in pieces of 4, 2 and 8 bytes, as they are aligned.
struct SixFloats {
    float values[6];
};
struct FourShorts {
    short values[4];
};
struct TwoDoubles {
    double values[2];
};
__global__ void large_struct(SixFloats* out, const SixFloats* in) { out[index()] = in[index()]; }
__global__ void shorts(FourShorts* out, const FourShorts* in) { out[index()] = in[index()]; }
// In every second block.
__global__ void shorts_one_further(FourShorts* out, const short* in) {
    out[index()] = reinterpret_cast<const FourShorts*>(in + blockIdx.x % 2)[index()];
}
__global__ void two_doubles(TwoDoubles* out, const TwoDoubles* in) { out[index()] = in[index()]; }
// Four floats of a thread one after another, in loads of 4 bytes: each load reads a part of every sector.
__global__ void four_floats(float* out, const float* in) {
    const float* mine = in + 4 * index();
    out[index()] = mine[0] + mine[1] + mine[2] + mine[3];
}

// ---- threads that take no part -------------------------------------------------------------------------------------

__global__ void odd_threads(float* out, const float* in) {
    if (threadIdx.x % 2) out[index()] = in[index()];
}
__global__ void first_lanes(float* out, const float* in) {
    if (threadIdx.x % 32 == 0) out[index()] = in[index()];
}
// The last warp has 8 elements to copy.
__global__ void ragged(float* out, const float* in) {
    if (index() < n - 24) out[index()] = in[index()];
}
// A block of 40 threads: its second warp has 8 lanes.
__global__ void short_block(float* out, const float* in) { out[index()] = in[index()]; }
// One block, whose lane l adds l + 1 numbers: request k has the lanes from k on.
__global__ void triangle(float* out, const float* in) {
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k <= threadIdx.x; k++) sum += in[k * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}
// Half of the threads take a turn of the loop less before the barrier: behind it all are together again.
__global__ void after_a_barrier(float* out, const float* in) {
    __shared__ float shared[threads];
    float sum = 0;
    for (unsigned phase = 0; phase < 2; phase++) {
        for (int k = 0; k < (phase == 0 && threadIdx.x % 2 ? 1 : 2); k++) sum += in[k * n + index()];
        shared[threadIdx.x] = sum;
        __syncthreads();
    }
    out[index()] = shared[threadIdx.x];
}
// The same with warps, in a block of 40 threads.
__global__ void after_a_warp_barrier(float* out, const float* in) {
    float sum = 0;
    for (unsigned phase = 0; phase < 2; phase++) {
        for (int k = 0; k < (phase == 0 && threadIdx.x % 2 ? 1 : 2); k++) sum += in[k * n + index()];
        __syncwarp(threadIdx.x < 32 ? ~0u : 0xffu);
    }
    out[index()] = sum;
}
// A shuffle brings a warp together, too.
__global__ void shuffles(float* out, const float* in) {
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        sum += in[k * n + index()];
        sum += __shfl_xor_sync(~0u, sum, 1);
    }
    out[index()] = sum;
}

// ---- shared memory -------------------------------------------------------------------------------------------------

// What each thread reads of it, after its warp has filled it: T is the type, place the element.
#define SHARED(name, T, place)                                      \
    __global__ void name(T* out, const T* in) {                     \
        __shared__ T shared[32 * 33];                               \
        const int lane = threadIdx.x; /* one warp a block */        \
        for (int i = lane; i < 32 * 33; i += 32) shared[i] = in[i]; \
        __syncthreads();                                            \
        out[blockIdx.x * 32 + lane] = shared[place];                \
    }
SHARED(no_conflict, float, lane)
SHARED(conflicts2, float, lane * 2)
SHARED(conflicts4, float, lane * 4)
SHARED(conflicts8, float, lane * 8)
SHARED(conflicts16, float, lane * 16)
SHARED(conflicts32, float, lane * 32)
SHARED(padded, float, lane * 33)
SHARED(broadcast, float, 5)
SHARED(two_words, float, lane / 16 * 32)  // of one bank
SHARED(four_bytes_apart, uint8_t, lane * 4)
SHARED(side_by_side, uint8_t, lane)
SHARED(shared8, double, lane)
SHARED(shared8_conflicts2, double, lane * 2)
SHARED(shared8_pairs, double, lane / 2)
SHARED(shared8_conflicts16, double, lane * 16)
SHARED(shared16, float4, lane)
SHARED(shared16_conflicts2, float4, lane * 2)
SHARED(shared16_conflicts8, float4, lane * 8)
SHARED(shared16_by_quarters, float4, lane / 8 + lane % 8 * 8)  // of a quarter, all in four banks
SHARED(shared16_pairs, float4, lane / 2)
SHARED(shared16_other_pairs, float4, lane / 4 * 2 + lane % 2)
SHARED(shared16_broadcast, float4, 5)

__global__ void stores_conflict(float* out, const float* in) {
    __shared__ float shared[32 * 32];
    shared[threadIdx.x * 32] = in[threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = shared[threadIdx.x / 2 * 32];
}
// Lanes n and n ^ 2 write one value to one address: only loads share a pass then.
__global__ void stores16_pairs(float4* out, const float4*) {
    __shared__ float4 shared[16];
    const int lane = threadIdx.x, place = lane / 4 * 2 + lane % 2;  // one warp a block
    shared[place] = make_float4(1, 2, 3, 4);
    __syncwarp();
    out[blockIdx.x * 32 + lane] = shared[place];
}

// One instruction that reads global memory, and then shared memory.
[[gnu::noinline]] __device__ float load(const float* p) { return *p; }
__global__ void two_memories(float* out, const float* in) {
    __shared__ float shared[64];
    const int lane = threadIdx.x;  // one warp a block
    shared[2 * lane] = load(in + lane);
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 2; k++) sum += load((k == 0 ? in : shared) + (k + 1) * lane);
    out[blockIdx.x * 32 + lane] = sum;
}

// ---- asynchronous copies, matrices, constant memory --------------------------------------------------------------

#define COPIED(name, T, place)                                                           \
    __global__ void name(T* out, const T* in) {                                          \
        __shared__ T shared[32 * 32];                                                    \
        const int lane = threadIdx.x; /* one warp a block */                             \
        __pipeline_memcpy_async(&shared[place], &in[blockIdx.x * 32 + lane], sizeof(T)); \
        __pipeline_commit();                                                             \
        __pipeline_wait_prior(0);                                                        \
        out[blockIdx.x * 32 + lane] = shared[place];                                     \
    }
COPIED(copied4, float, lane)
COPIED(copied4_conflicts, float, lane * 32)
COPIED(copied16, float4, lane)
COPIED(copied16_conflicts, float4, lane * 8)

// Four matrices of 8 rows; the rows lie `bytes` apart.
template <int bytes>
__device__ void matrices(unsigned* out, const unsigned* in) {
    __shared__ alignas(16) char shared[32 * bytes];
    const int lane = threadIdx.x;  // one warp a block
    for (int i = 4 * lane; i < 32 * bytes; i += 128) *reinterpret_cast<unsigned*>(&shared[i]) = in[i / 4];
    __syncthreads();
    unsigned a, b, c, d;
    const auto row = unsigned(__cvta_generic_to_shared(&shared[lane * bytes]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(row)
                 : "memory");
    __syncthreads();
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(a ^ c), "r"(b ^ d)
                 : "memory");
#endif
    __syncthreads();
    out[blockIdx.x * 32 + lane] = *reinterpret_cast<unsigned*>(&shared[lane * bytes]);
}
__global__ void matrices_side_by_side(unsigned* out, const unsigned* in) { matrices<16>(out, in); }
__global__ void matrices_apart(unsigned* out, const unsigned* in) { matrices<128>(out, in); }
__global__ void matrices_padded(unsigned* out, const unsigned* in) { matrices<144>(out, in); }

__constant__ float factors[256];
__global__ void constants(float* out, const float* in) { out[index()] = factors[threadIdx.x % 32] * in[index()]; }

// ---- atomics -------------------------------------------------------------------------------------------------------

__global__ void own_counters(int* out, const float*) { atomicAdd(&out[index()], 1); }
__global__ void eight_counters(int* out, const float*) { atomicAdd(&out[threadIdx.x % 8], int(threadIdx.x)); }
__global__ void one_counter(int* out, const float*) { atomicAdd(out, int(threadIdx.x)); }
__global__ void shared_counters(int* out, const float*) {
    __shared__ int counters[16];
    if (threadIdx.x < 16) counters[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counters[threadIdx.x % 16], int(threadIdx.x));
    __syncthreads();
    if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = counters[threadIdx.x];
}

// ---- all of them, once ---------------------------------------------------------------------------------------------

static void* out;
static void* in;

template <class Out, class In>
static void run(const char* name, void (*kernel)(Out*, const In*), int grid = blocks, int block = threads) {
    kernel<<<grid, block>>>(static_cast<Out*>(out), static_cast<const In*>(in));
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorString(error));
    EXPECT(error == cudaSuccess);
}
#define RUN(kernel, ...) run(#kernel, kernel, ##__VA_ARGS__)

int main() {
    const size_t bytes_of_each = n * 33 * sizeof(float);
    EXPECT(cudaMalloc(&out, bytes_of_each) == cudaSuccess);
    EXPECT(cudaMalloc(&in, bytes_of_each) == cudaSuccess);
    EXPECT(cudaMemset(out, 0, bytes_of_each) == cudaSuccess);
    EXPECT(cudaMemset(in, 0, bytes_of_each) == cudaSuccess);
    RUN(coalesced), RUN(backwards), RUN(shuffled), RUN(one_further), RUN(stores_one_further), RUN(all_the_same);
    RUN(strided2), RUN(strided3), RUN(strided4), RUN(strided8), RUN(strided32), RUN(column), RUN(stores_column);
    RUN(::bytes), RUN(doubles), RUN(float4s), RUN(float4s_added), RUN(own_struct), RUN(float3s), RUN(loose_struct),
        RUN(four_floats);
    RUN(large_struct), RUN(shorts), RUN(shorts_one_further), RUN(two_doubles);
    RUN(odd_threads), RUN(first_lanes), RUN(ragged), RUN(short_block, blocks, 40), RUN(triangle, 1, 32);
    RUN(after_a_barrier), RUN(after_a_warp_barrier, blocks, 40), RUN(shuffles);
    RUN(no_conflict, blocks, 32), RUN(conflicts2, blocks, 32), RUN(conflicts4, blocks, 32), RUN(conflicts8, blocks, 32);
    RUN(conflicts16, blocks, 32), RUN(conflicts32, blocks, 32), RUN(padded, blocks, 32), RUN(broadcast, blocks, 32);
    RUN(two_words, blocks, 32), RUN(four_bytes_apart, blocks, 32), RUN(side_by_side, blocks, 32);
    RUN(shared8, blocks, 32), RUN(shared8_conflicts2, blocks, 32), RUN(shared8_pairs, blocks, 32);
    RUN(shared8_conflicts16, blocks, 32), RUN(shared16, blocks, 32), RUN(shared16_conflicts2, blocks, 32);
    RUN(shared16_conflicts8, blocks, 32), RUN(shared16_by_quarters, blocks, 32), RUN(shared16_pairs, blocks, 32),
        RUN(shared16_other_pairs, blocks, 32);
    RUN(shared16_broadcast, blocks, 32), RUN(stores_conflict, blocks, 32);
    RUN(stores16_pairs, blocks, 32), RUN(two_memories, blocks, 32);
    RUN(copied4, blocks, 32), RUN(copied4_conflicts, blocks, 32), RUN(copied16, blocks, 32);
    RUN(copied16_conflicts, blocks, 32), RUN(matrices_side_by_side, blocks, 32), RUN(matrices_apart, blocks, 32);
    RUN(matrices_padded, blocks, 32), RUN(constants);
    RUN(own_counters), RUN(eight_counters), RUN(one_counter), RUN(shared_counters);
    return report();
}
