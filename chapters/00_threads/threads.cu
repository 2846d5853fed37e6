// threads.cu: how a GPU runs a kernel, shown by four kernels. Their launchers stand directly below them.
#include "threads.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// Each thread writes its own number. Right only if the grid has as many threads as the array has elements.
__global__ void number_unchecked_kernel(int64_t* out) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = i;
}

// A grid has whole blocks, so its last threads may have no element: the bounds check ends them before they write.
__global__ void number_kernel(int64_t* out, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = i;
}

void launch_number(int64_t* out, int64_t n, int threads, bool check, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    const unsigned blocks = blocks_for(n, threads);
    if (check) {
        number_kernel<<<blocks, threads, 0, stream>>>(out, n);
    } else {
        number_unchecked_kernel<<<blocks, threads, 0, stream>>>(out);
    }
    CHECK_LAUNCH();
}

// C++ has no name for the registers in which a GPU keeps these two numbers. `asm` inserts an instruction of PTX, the
// GPU's assembly language, which copies such a register to the variable in the last parentheses.
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

// Each thread writes which one it is, where it runs, and when.
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
