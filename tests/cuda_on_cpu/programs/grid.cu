// Blocks that are alive at the same time: cooperative launches, clusters, threads that wait for another thread's write.
#include "expect.h"
#undef NDEBUG  // CMake's release builds define it, and asserts() is about assert
#include <cassert>
#include <sys/wait.h>
#include <unistd.h>

// What this program is about, without cooperative_groups.h around it: groups.cu tests that.
#ifdef CUDA_ON_CPU
using cuda_on_cpu::cluster_rank;
using cuda_on_cpu::cluster_size;
using cuda_on_cpu::cluster_sync;
using cuda_on_cpu::grid_sync;
using cuda_on_cpu::map_shared_rank;
__device__ dim3 cluster_block_index() { return cuda_on_cpu::cluster_block_index(); }
#else
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void grid_sync() { cg::this_grid().sync(); }
__device__ void cluster_sync() { cg::this_cluster().sync(); }
__device__ unsigned cluster_rank() { return cg::this_cluster().block_rank(); }
__device__ unsigned cluster_size() { return cg::this_cluster().num_blocks(); }
__device__ dim3 cluster_block_index() { return cg::this_cluster().block_index(); }
__device__ void* map_shared_rank(void* p, unsigned rank) { return cg::this_cluster().map_shared_rank(p, rank); }
#endif

// A barrier of all blocks; shared memory of several blocks that are alive, static and dynamic.
namespace cooperative {

template <int THREADS>
__global__ void rounds(int* sums, int* out, int n) {
    __shared__ int mine[THREADS];
    extern __shared__ int dynamic[];
    mine[threadIdx.x] = blockIdx.x * THREADS + threadIdx.x, dynamic[threadIdx.x] = 1000 * blockIdx.x;
    for (int round = 0; round < n; round++) {
        __syncthreads();
        if (threadIdx.x == 0) sums[blockIdx.x] = mine[THREADS - 1] + dynamic[0] + round;
        grid_sync();
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += sums[b];
        mine[threadIdx.x] += 1, dynamic[threadIdx.x] += sum % 7;
        grid_sync();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = mine[threadIdx.x] + dynamic[threadIdx.x];
}

void test() {
    const int blocks = 6, threads = 64;
    int *sums = device_array<int>(blocks), *out = device_array<int>(blocks * threads), n = 5;
    void* arguments[] = {&sums, &out, &n};
    EXPECT(cudaLaunchCooperativeKernel((void*)rounds<threads>, blocks, threads, arguments, threads * sizeof(int)) ==
           cudaSuccess);
    EXPECT_DONE();
    int mine[blocks * threads], dynamic[blocks];
    for (int i = 0; i < blocks * threads; i++) mine[i] = i;
    for (int b = 0; b < blocks; b++) dynamic[b] = 1000 * b;
    for (int round = 0; round < n; round++) {
        int sum = 0;
        for (int b = 0; b < blocks; b++) sum += mine[(b + 1) * threads - 1] + dynamic[b] + round;
        for (int i = 0; i < blocks * threads; i++) mine[i] += 1;
        for (int b = 0; b < blocks; b++) dynamic[b] += sum % 7;
    }
    for (int i = 0; i < blocks * threads; i++) EXPECT(out[i] == mine[i] + dynamic[i / threads]);

    // As many blocks as can be alive at once, and one more.
    cudaDeviceProp p;
    int most = 0;
    EXPECT(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, rounds<1024>, 1024, 4096) == cudaSuccess && most >= 1);
    most *= p.multiProcessorCount;
    sums = device_array<int>(most), out = device_array<int>(size_t(most) * 1024), n = 1;
    EXPECT(cudaLaunchCooperativeKernel(rounds<1024>, most, 1024, arguments, 4096, nullptr) == cudaSuccess);
    EXPECT_DONE();
    EXPECT(out[0] > 0 && sums[most - 1] == most * 1024 - 1 + 1000 * (most - 1));
    EXPECT(cudaLaunchCooperativeKernel(rounds<1024>, most + 1, 1024, arguments, 4096, nullptr) ==
           cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
}

}  // namespace cooperative

// Clusters: the launch's attribute and the kernel's; each block reads and writes the others' shared memory.
namespace clusters {

__device__ void exchange(int* out, int* shared) {
    const unsigned rank = cluster_rank(), size = cluster_size();
    shared[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
    cluster_sync();
    const int* next = static_cast<int*>(map_shared_rank(shared, (rank + 1) % size));
    const int seen = next[threadIdx.x];
    cluster_sync();
    int* first = static_cast<int*>(map_shared_rank(shared, 0));
    atomicAdd(first + threadIdx.x, 10000);  // every block does
    cluster_sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = seen + (rank == 0 ? shared[threadIdx.x] / 10000 * 10000 : 0);
}

__global__ void by_attribute(int* out) {
    extern __shared__ int dynamic[];
    exchange(out, dynamic);
}
__global__ void __cluster_dims__(2, 1, 1) by_kernel(int* out) {
    __shared__ int fixed[32];
    exchange(out, fixed);
}

__global__ void shape(uint3* index, unsigned* rank) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const dim3 in_cluster = cluster_block_index();
    index[block] = {in_cluster.x, in_cluster.y, in_cluster.z};
    rank[block] = cluster_rank();
}

cudaLaunchConfig_t config(cudaLaunchAttribute* attribute, dim3 grid, dim3 block, dim3 cluster, size_t shared) {
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = cluster.x, attribute->val.clusterDim.y = cluster.y;
    attribute->val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t c = {};
    c.gridDim = grid, c.blockDim = block, c.dynamicSmemBytes = shared, c.attrs = attribute, c.numAttrs = 1;
    return c;
}

void expect_exchange(const int* out, int blocks, int size) {
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < 32; t++) {
            const int next = b / size * size + (b + 1) % size;
            EXPECT(out[b * 32 + t] == 100 * next + t + (b % size ? 0 : 10000 * size));
        }
}

void test() {
    int* out = device_array<int>(16 * 32);
    cudaLaunchAttribute attribute;
    for (unsigned size : {1, 2, 4, 8}) {
        const cudaLaunchConfig_t c = config(&attribute, 16, 32, size, 32 * sizeof(int));
        EXPECT(cudaLaunchKernelEx(&c, by_attribute, out) == cudaSuccess);
        EXPECT_DONE();
        expect_exchange(out, 16, size);
        void* arguments[] = {&out};
        EXPECT(cudaMemset(out, 0, 16 * 32 * sizeof(int)) == cudaSuccess);
        EXPECT(cudaLaunchKernelExC(&c, (const void*)by_attribute, arguments) == cudaSuccess);
        EXPECT_DONE();
        expect_exchange(out, 16, size);
    }
    by_kernel<<<6, 32>>>(out);
    EXPECT_DONE();
    expect_exchange(out, 6, 2);

    uint3* index = device_array<uint3>(4 * 2 * 2);
    unsigned* rank = device_array<unsigned>(4 * 2 * 2);
    cudaLaunchConfig_t c = config(&attribute, dim3(4, 2, 2), 1, dim3(2, 1, 2), 0);
    EXPECT(cudaLaunchKernelEx(&c, shape, index, rank) == cudaSuccess);
    EXPECT_DONE();
    for (unsigned b = 0; b < 16; b++)
        EXPECT(index[b].x == b % 2 && index[b].y == 0 && index[b].z == b / 8 && rank[b] == b % 2 + b / 8 * 2);

    int most = 0;
    EXPECT(cudaOccupancyMaxActiveClusters(&most, shape, &c) == cudaSuccess && most >= 1);
    c = config(&attribute, 6, 1, 4, 0);  // 4 does not divide 6
    EXPECT(cudaLaunchKernelEx(&c, shape, index, rank) != cudaSuccess && cudaGetLastError() != cudaSuccess);
    c = config(&attribute, 16, 1, 16, 0);  // more than 8
    EXPECT(cudaLaunchKernelEx(&c, shape, index, rank) != cudaSuccess && cudaGetLastError() != cudaSuccess);
    by_kernel<<<3, 32>>>(out);  // 2 does not divide 3
    EXPECT(cudaGetLastError() != cudaSuccess);
}

}  // namespace clusters

// Threads that spin until another writes.
namespace spinning {

// One thread of the block waits for another, in many ways.
__global__ void in_block(int* a, int way) {
    __shared__ int flag;
    const unsigned last = blockDim.x - 1;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    const unsigned waits = way % 2 ? 0 : last, writes = last - waits;
    volatile int* seen = &flag;
    if (threadIdx.x == waits) {
        if (way / 2 == 0)
            while (*seen == 0);
        if (way / 2 == 1)
            while (atomicAdd(&flag, 0) == 0) {
            }
        if (way / 2 == 2)
            while (true) {
                if (*seen) break;
            }
        if (way / 2 == 3) {
            int value;
            do {
                value = *seen;
            } while (value == 0);
        }
        if (way / 2 == 4)
            while (*seen == 0) __nanosleep(20);
        a[0] = a[1] + 1;
    }
    if (threadIdx.x == writes) {
        a[1] = way;
        __threadfence();
        *seen = 1;
    }
}

__global__ void lock(int* a, int* held, int n) {  // each thread enters alone, also where others are in the middle
    for (int i = 0; i < n; i++) {
        bool done = false;
        while (!done) {
            if (atomicCAS(held, 0, 1) == 0) {
                __threadfence();
                const int old = *(volatile int*)a;
                for (int k = 0; k < 3; k++) atomicAdd(a + 1, 1);
                *(volatile int*)a = old + 1;
                __threadfence();
                atomicExch(held, 0);
                done = true;
            }
        }
    }
}

// Each block adds its number to what the one before has published: blocks that wait for earlier ones. A block takes its
// number from a counter, for no order of blocks is promised.
__global__ void look_back(volatile int* published, int* next) {
    __shared__ int number;
    if (threadIdx.x == 0) number = atomicAdd(next, 1);
    __syncthreads();
    if (threadIdx.x != 0) return;
    int before = 1;
    if (number > 0)
        while ((before = published[number - 1]) == 0) {
        }
    published[number] = before + number;
}

// A barrier between the blocks of an ordinary grid, which a GPU runs if all of them fit: blocks wait for later ones.
__global__ void own_barrier(int* arrived, int* value, int* out) {
    __shared__ int kept[32];
    kept[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        value[blockIdx.x] = kept[31] + 1;
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < int(gridDim.x)) {
        }
    }
    __syncthreads();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; b++) sum += ((volatile int*)value)[b];
    out[blockIdx.x * 32 + threadIdx.x] = sum * 100 + kept[threadIdx.x];
}

// Warps that go round with warp functions until another warp, which the order of threads puts last, has written.
__global__ void by_warp(volatile int* a) {
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (warp != warps / 2)
        while (__any_sync(~0u, a[0] == 0));
    else
        a[0] = 1;
    __syncthreads();
    if (threadIdx.x == 0) a[1] = 7;
}

void test() {
    int* a = device_array<int>(4);
    for (int way = 0; way < 10; way++) {
        in_block<<<2, 96>>>(a, way);
        EXPECT_DONE();
        EXPECT(a[0] == way + 1);
    }
    EXPECT(cudaMemset(a, 0, 4 * sizeof(int)) == cudaSuccess);
    lock<<<4, 64>>>(a, a + 3, 5);
    EXPECT_DONE();
    EXPECT(a[0] == 4 * 64 * 5 && a[1] == 3 * a[0]);

    const int blocks = 50;
    int *published = device_array<int>(blocks), *next = device_array<int>(1);
    look_back<<<blocks, 64>>>(published, next);
    EXPECT_DONE();
    for (int b = 0; b < blocks; b++) EXPECT(published[b] == 1 + b * (b + 1) / 2);

    int *arrived = device_array<int>(1), *value = device_array<int>(20), *out = device_array<int>(20 * 32);
    own_barrier<<<20, 32>>>(arrived, value, out);
    EXPECT_DONE();
    for (int i = 0; i < 20 * 32; i++) EXPECT(out[i] == 21000 + i / 32);

    EXPECT(cudaMemset(a, 0, 4 * sizeof(int)) == cudaSuccess);
    by_warp<<<1, 256>>>(a);
    EXPECT_DONE();
    EXPECT(a[1] == 7);
}

}  // namespace spinning

// A kernel that ends in __trap() or a failed assert. No kernel runs in a GPU's process after that, so each has a
// process of its own.
namespace failing {

__global__ void asserts(int* a) {
    if (threadIdx.x == 33) assert(a[0] == 1);
    a[1 + threadIdx.x] = 5;
}
__global__ void traps() {
    if (threadIdx.x == 3) __trap();
}

// The error that the process of `run` finds.
template <class F>
int error_of(F run) {
    const pid_t child = fork();
    if (child == 0) {
        run();
        const cudaError_t error = cudaDeviceSynchronize();
        _exit(cudaGetLastError() == error ? error - cudaErrorAssert : 255);
    }
    int status = 0;
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return cudaErrorAssert + WEXITSTATUS(status);
}

void test() {
    const auto with = [](int value) {
        int* a = device_array<int>(65);
        EXPECT(cudaMemcpy(a, &value, sizeof value, cudaMemcpyDefault) == cudaSuccess);
        asserts<<<1, 64>>>(a);
    };
    EXPECT(error_of([&] { with(2); }) == cudaErrorAssert);
    const int trapped = error_of([] { traps<<<1, 64>>>(); });
    EXPECT(trapped == cudaErrorLaunchFailure || trapped == cudaErrorIllegalInstruction);
}

}  // namespace failing

int main() {
    failing::test();  // first: a process that uses a GPU cannot fork
    cooperative::test();
    clusters::test();
    spinning::test();
    return report();
}
