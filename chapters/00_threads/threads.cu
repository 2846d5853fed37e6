// threads.cu: three kernels that show how a GPU runs a kernel. Each has its launcher directly below it.
#include "threads.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// A GPU keeps these two in special registers, for which C++ has no names. `asm` inserts an instruction of PTX, the
// GPU's assembly language: it moves the register to the variable in the last parentheses.
__device__ inline unsigned multiprocessor() {
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

__device__ inline int64_t now() {
    int64_t nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return nanoseconds;
}

__device__ inline void work(int64_t nanoseconds) {
    for (const int64_t start = now(); now() - start < nanoseconds;) continue;
}

// Each thread runs these lines, with its own blockIdx and threadIdx, and writes an element of its own.
__global__ void where_am_i_kernel(Where* out, int64_t nanoseconds) {
    const int64_t start = now();
    work(nanoseconds);
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = {blockIdx.x, threadIdx.x, threadIdx.x / warpSize, threadIdx.x % warpSize, multiprocessor(), start, now()};
}

void launch_where_am_i(Where* out, int64_t blocks, int threads, int64_t nanoseconds, cudaStream_t stream) {
    where_am_i_kernel<<<unsigned(blocks), threads, 0, stream>>>(out, nanoseconds);
    CHECK_LAUNCH();
}

__global__ void wait_kernel(int64_t nanoseconds) { work(nanoseconds); }

void launch_wait(int64_t nanoseconds, cudaStream_t stream) {
    wait_kernel<<<1, 1, 0, stream>>>(nanoseconds);
    CHECK_LAUNCH();
}

// The grid has whole blocks, so its last threads may have no element: the bounds check keeps them from writing.
__global__ void number_kernel(int64_t* out, int64_t n, bool check) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (check && i >= n) return;
    out[i] = i;
}

void launch_number(int64_t* out, int64_t n, int threads, bool check, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    number_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, n, check);
    CHECK_LAUNCH();
}
