// hierarchy.cu: a benchmark of the memories of a GPU. Which memory answers depends on how many bytes are read, because
// what fits into a cache is found there the second time.
//
// Latency: one thread follows a chain of pointers, so each load has to wait for the one before it. This "pointer chase"
// is the method of Z. Jia, M. Maggioni, B. Staiger, D. Scarpazza, "Dissecting the NVIDIA Volta GPU architecture via
// microbenchmarking", 2018, https://arxiv.org/abs/1804.06826. Bandwidth: all multiprocessors read at the same time.
//
// The compiler leaves out loads whose values nobody needs, so each kernel writes something that depends on all its
// loads.
#include "hierarchy.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// Loads between two calls of this function are timed. "memory" forbids the compiler to move a load from one side of
// this line to the other.
__device__ inline int64_t fenced_now() {
    int64_t nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
    return nanoseconds;
}

// i -> a * i + c modulo a power of two visits all numbers in turn if a - 1 is a multiple of 4 and c is odd (Hull and
// Dobell, 1962). These factors are from Numerical Recipes.
__device__ inline int64_t next_line(int64_t i, int64_t lines) { return (i * 1664525 + 1013904223) & (lines - 1); }

__global__ void ring_kernel(Line* ring, int64_t lines) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < lines) ring[i].next = ring + next_line(i, lines);
}

void launch_ring(Line* ring, int64_t lines, cudaStream_t stream) {
    ring_kernel<<<blocks_for(lines, 256), 256, 0, stream>>>(ring, lines);
    CHECK_LAUNCH();
}

// The compiler cannot know to which memory a pointer in memory points. If it is told, it chooses a faster instruction.
__device__ inline const Line* next(const Line* at) {
    __builtin_assume(__isGlobal(at));
    return at->next;
}

__global__ void chase_kernel(int64_t* out, const Line* ring, int64_t warm, int64_t steps) {
    const Line* at = ring;
    for (int64_t i = 0; i < warm; i++) at = next(at);
    const int64_t start = fenced_now(), start_cycle = clock64();
    for (int64_t i = 0; i < steps; i++) at = next(at);
    const int64_t end_cycle = clock64(), end = fenced_now();
    out[0] = end_cycle - start_cycle;
    out[1] = end - start;
    out[2] = at - ring;
}

void launch_chase(int64_t* out, const Line* ring, int64_t warm, int64_t steps, cudaStream_t stream) {
    chase_kernel<<<1, 1, 0, stream>>>(out, ring, warm, steps);
    CHECK_LAUNCH();
}

// In shared memory the ring consists of offsets in bytes, not of pointers.
__global__ void chase_shared_kernel(int64_t* out, int64_t lines, int64_t warm, int64_t steps) {
    __shared__ unsigned ring[shared_bytes / sizeof(unsigned)];
    const auto next_at = [&](unsigned at) { return *reinterpret_cast<unsigned*>(reinterpret_cast<char*>(ring) + at); };
    for (int64_t i = 0; i < lines; i++)
        ring[i * sizeof(Line) / sizeof(unsigned)] = unsigned(next_line(i, lines) * sizeof(Line));
    unsigned at = 0;
    for (int64_t i = 0; i < warm; i++) at = next_at(at);
    const int64_t start = fenced_now(), start_cycle = clock64();
    for (int64_t i = 0; i < steps; i++) at = next_at(at);
    const int64_t end_cycle = clock64(), end = fenced_now();
    out[0] = end_cycle - start_cycle;
    out[1] = end - start;
    out[2] = at / sizeof(Line);
}

void launch_chase_shared(int64_t* out, int64_t lines, int64_t warm, int64_t steps, cudaStream_t stream) {
    chase_shared_kernel<<<1, 1, 0, stream>>>(out, lines, warm, steps);
    CHECK_LAUNCH();
}

__global__ void count_kernel(unsigned* array, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) array[i] = unsigned(i);
}

void launch_count(unsigned* array, int64_t n, cudaStream_t stream) {
    count_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(array, n);
    CHECK_LAUNCH();
}

constexpr int piece = reading_threads * loads;  // a piece of the array, in uint4: each thread makes `loads` loads in it

// What both kernels below do. load(i) returns element i. The sum wraps around, as unsigned numbers do.
template <class Load>
__device__ unsigned sum_of(Load load, int64_t pieces, int64_t reads) {
    int64_t at = blockIdx.x * reads % pieces;
    unsigned sum = 0;
    for (int64_t i = 0; i < reads; i++) {
        uint4 v[loads];
        for (int k = 0; k < loads; k++) v[k] = load(at * piece + k * reading_threads + threadIdx.x);
        for (int k = 0; k < loads; k++) sum += v[k].x + v[k].y + v[k].z + v[k].w;
        if (++at == pieces) at = 0;
    }
    return sum;
}

// Blocks of one multiprocessor read the same pieces one after another, and its L1 cache would answer some of their
// loads. So an array of more than one piece is read by __ldcg, which bypasses the L1 cache. The launcher decides that.
// If the kernel asked `pieces == 1`, the compiler would see that all reads are of one piece, and leave most of them
// out.
__global__ void read_kernel(unsigned* sums, const uint4* array, int64_t pieces, int64_t reads, bool past_l1) {
    const auto cached = [=](int64_t i) { return array[i]; };
    const auto uncached = [=](int64_t i) { return __ldcg(array + i); };
    const unsigned sum = past_l1 ? sum_of(uncached, pieces, reads) : sum_of(cached, pieces, reads);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void launch_read(unsigned* sums, const unsigned* array, int64_t pieces, int64_t reads, int blocks,
                 cudaStream_t stream) {
    const auto* vectors = reinterpret_cast<const uint4*>(array);
    read_kernel<<<blocks, reading_threads, 0, stream>>>(sums, vectors, pieces, reads, pieces > 1);
    CHECK_LAUNCH();
}

__global__ void read_shared_kernel(unsigned* sums, const uint4* array, int64_t pieces, int64_t reads) {
    __shared__ uint4 copy[piece];
    for (int i = threadIdx.x; i < piece; i += blockDim.x) copy[i] = array[i];
    __syncthreads();  // until all threads of the block have written their part
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum_of([&](int64_t i) { return copy[i]; }, pieces, reads);
}

void launch_read_shared(unsigned* sums, const unsigned* array, int64_t reads, int blocks, cudaStream_t stream) {
    const auto* vectors = reinterpret_cast<const uint4*>(array);
    read_shared_kernel<<<blocks, reading_threads, 0, stream>>>(sums, vectors, 1, reads);
    CHECK_LAUNCH();
}
