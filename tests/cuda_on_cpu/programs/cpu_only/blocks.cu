// What is wrong between blocks, or never ends, and how CUDA on CPU says so: each case with a kernel. The next launch
// works after each. The test knows the lines that are marked.
#include <cassert>
#include <cstdio>
#include <stdexcept>

using namespace cuda_on_cpu;  // grid_sync(), cluster_sync(): cooperative_groups.h has CUDA's names for them

__global__ void block_is_missing() {
    if (blockIdx.x == 1) return;
    grid_sync();  // LINE grid
}
__global__ void thread_is_missing() {
    if (threadIdx.x == 5)
        __syncthreads();  // LINE alone
    else
        grid_sync();
}
__global__ void not_cooperative() { grid_sync(); }  // LINE ordinary
__global__ void cluster_is_missing() {
    if (cluster_rank() == 2)
        __syncthreads();
    else if (threadIdx.x > 0)
        cluster_sync();  // LINE cluster
    else
        __syncthreads();
}
__global__ void twice() {
    cluster_arrive();
    cluster_arrive();  // LINE twice
}
__global__ void only_waits() {
    if (threadIdx.x % 2) cluster_arrive();
    cluster_wait();  // LINE only
}
__global__ void no_such_block(int* a) {
    __shared__ int s[4];
    a[0] = *static_cast<int*>(map_shared_rank(s, 4));
}
__global__ void has_returned(int* a) {
    __shared__ int s[4];
    s[0] = 1;
    if (cluster_rank() == 1) return;
    while (atomicAdd(a, 1) < 1000) {
    }
    a[0] = *static_cast<int*>(map_shared_rank(s, 1));
}
__global__ void not_shared(int* a) { a[0] = *static_cast<int*>(map_shared_rank(a, 1)); }

__global__ void nobody_writes(volatile int* a) {
    if (threadIdx.x > 3)
        while (a[0] == 0) {  // LINE spins
        }
    __syncthreads();  // LINE barrier
}
__global__ void nobody_unlocks(int* a) {
    if (threadIdx.x == 0)
        while (atomicCAS(a + 1, 0, 1) != 0) a[2]++;  // LINE lock
}
__global__ void endless(int* a) {
    while (clock64()) a[0]++;  // a loop that calls nothing and never ends may be left out by the compiler
}

__global__ void asserts(int* a) {
    __shared__ int s;
    s = a[0];
    __syncthreads();
    if (blockIdx.x == 1 && threadIdx.x == 33) assert(s == 1 + 1);  // LINE assert
    __syncthreads();
}
__global__ void traps(int* a) {
    if (threadIdx.x == 3) __trap();
    a[threadIdx.x] = 5;
}

__global__ void null_pointer(int* a) {
    __syncthreads();
    if (threadIdx.x == 5) a[1] = 1;
    __syncthreads();
}
__global__ void by_zero(int* a, int divisor) { a[1] = a[0] / divisor; }
__device__ int depth(volatile int* a, int n) {
    volatile char local[1000] = {};
    return n ? depth(a, n - 1) + local[n % 1000] : a[0];
}
__global__ void deep(int* a) { a[0] = depth(a, 1000); }

__global__ void works(int* a) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    atomicAdd(a, s[63 - threadIdx.x]);
}

template <class F>
void message_of(const char* name, F launch) {
    try {
        launch();
        const int waits = cudaDeviceSynchronize(), last = cudaGetLastError(), then = cudaGetLastError();
        std::printf("%s: errors %d %d %d\n", name, waits, last, then);
    } catch (const std::exception& e) {
        std::printf("%s: %s\n", name, e.what());
    }
    int a = 0;
    works<<<2, 64>>>(&a);
    if (a != 2 * 2016 || cudaDeviceSynchronize() != cudaSuccess) std::printf("%s: then a sum of %d\n", name, a);
}

template <class... P, class... A>
void with_attribute(cudaLaunchAttributeID id, int blocks, void (*kernel)(P...), A... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = id;
    if (id == cudaLaunchAttributeCooperative)
        attribute.val.cooperative = 1;
    else
        attribute.val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t config = {blocks, 8, 0, nullptr, &attribute, 1};
    cudaLaunchKernelEx(&config, kernel, arguments...);
}

int main(int, char** argv) {
    const bool slow = argv[1][0] == 's';  // the kernels that the watchdog ends
    const auto cooperative = cudaLaunchAttributeCooperative, cluster = cudaLaunchAttributeClusterDimension;
    int a[64] = {};
    if (!slow) {
        message_of("block_is_missing", [&] { with_attribute(cooperative, 3, block_is_missing); });
        message_of("thread_is_missing", [&] { with_attribute(cooperative, 2, thread_is_missing); });
        message_of("not_cooperative", [&] { not_cooperative<<<2, 8>>>(); });
        message_of("cluster_is_missing", [&] { with_attribute(cluster, 8, cluster_is_missing); });
        message_of("twice", [&] { with_attribute(cluster, 4, twice); });
        message_of("only_waits", [&] { with_attribute(cluster, 4, only_waits); });
        message_of("no_such_block", [&] { with_attribute(cluster, 4, no_such_block, a); });
        message_of("has_returned", [&] { with_attribute(cluster, 4, has_returned, a); });
        message_of("not_shared", [&] { with_attribute(cluster, 4, not_shared, a); });
        a[0] = 1;
        message_of("asserts", [&] { asserts<<<3, 64>>>(a); });
        message_of("traps", [&] { traps<<<1, 64>>>(a); });
        message_of("null_pointer", [&] { null_pointer<<<2, 64>>>(nullptr); });
        message_of("no_address", [&] { traps<<<1, 64>>>(a + (int64_t(1) << 59)); });
        message_of("by_zero", [&] { by_zero<<<2, 8>>>(a, 0); });
        message_of("deep", [&] { deep<<<1, 1>>>(a); });
        asserts<<<3, 64>>>(a);  // reported once, by whichever comes first
        const int last = cudaGetLastError(), waits = cudaDeviceSynchronize();
        std::printf("once: errors %d %d\n", last, waits);
        std::fflush(stdout);
        assert(a[0] == 2);  // LINE host
    } else {
        message_of("nobody_writes", [&] { nobody_writes<<<1, 64>>>(a); });
        a[1] = 1;
        message_of("nobody_unlocks", [&] { nobody_unlocks<<<20, 1024>>>(a); });
        message_of("endless", [&] { endless<<<2, 8>>>(a); });
    }
}
