// pitfalls.cu: sums of one block with one mistake each. test_reduce.py finds them. No chapter uses this file.
#include <cuda_runtime.h>

#include <algorithm>
#include <exception>
#include <string>

constexpr unsigned ALL = 0xffffffff;

// A tree for any number of threads? If a level has an odd number of sums, the last one is left out.
__global__ void only_powers_of_two_kernel(float* out, const float* x, int n) {
    extern __shared__ float sums[];
    sums[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = sums[0];
}

// The last 32 sums without barriers, as one wrote it before 2017: then the lanes of a warp ran in step.
__global__ void warp_in_step_kernel(float* out, const float* x, int n) {
    extern __shared__ float sums[];
    sums[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 16; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    volatile float* const last = sums;
    if (threadIdx.x < 16)
        for (int half = 16; half > 0; half /= 2) last[threadIdx.x] = last[threadIdx.x] + last[threadIdx.x + half];
    if (threadIdx.x == 0) *out = last[0];
}

// A mask that names all 32 lanes, in a branch that not all of them take.
__global__ void lanes_left_out_kernel(float* out, const float* x, int n) {
    if (threadIdx.x >= n) return;
    float sum = x[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(ALL, sum, distance);
    if (threadIdx.x == 0) *out = sum;
}

// A barrier that half of the threads never reach: they wait at the next one.
__global__ void barrier_in_a_branch_kernel(float* out, const float* x, int n) {
    extern __shared__ float sums[];
    sums[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            __syncthreads();
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = sums[0];
}

// block_sum() in a loop, without its second barrier: a fast warp writes the next sum before warp 0 has read this one.
__global__ void no_second_barrier_kernel(float* out, const float* x, int n) {
    __shared__ float sums[32];
    float total = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        float sum = first + threadIdx.x < n ? x[first + threadIdx.x] : 0;
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(ALL, sum, distance);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x < 32) {
            sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
            for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(ALL, sum, distance);
        }
        total += sum;  // thread 0's is right
    }
    if (threadIdx.x == 0) *out = total;
}

// Runs it, and returns what went wrong, or "". CUDA on CPU throws where a GPU would do what nobody knows.
#define PITFALL(name)                                                                            \
    extern "C" const char* name(float* out, const float* x, int n, int threads, int bytes) try { \
        name##_kernel<<<1, threads, std::max(bytes, threads * int(sizeof(float)))>>>(out, x, n); \
        const cudaError_t refused = cudaGetLastError(), failed = cudaDeviceSynchronize();        \
        return refused || failed ? cudaGetErrorString(refused ? refused : failed) : "";          \
    } catch (const std::exception& error) {                                                      \
        static std::string words;                                                                \
        words = error.what();                                                                    \
        return words.c_str();                                                                    \
    }
PITFALL(only_powers_of_two)
PITFALL(warp_in_step)
PITFALL(lanes_left_out)
PITFALL(barrier_in_a_branch)
PITFALL(no_second_barrier)
