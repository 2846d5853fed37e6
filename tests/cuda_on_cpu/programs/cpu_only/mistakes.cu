// Mistakes that CUDA on CPU finds, each with a kernel: `mistakes waits` prints what is found in any order of the
// threads, `mistakes order` what depends on it. The test knows the lines that are marked.
#include <cstdio>
#include <cstring>
#include <stdexcept>

// ---- waits ----

// Threads that wait for one another for ever, wrong masks, exceptions. The next launch works after each.

__global__ void barrier_and_warp() {
    if (threadIdx.x < 40)
        __syncthreads();  // LINE barrier
    else
        __syncwarp();  // LINE warp
}

__global__ void lane_never_comes(int* a) {
    if (threadIdx.x == 3)
        __syncthreads();  // LINE never
    else
        *a = __shfl_down_sync(0x0000000f, int(threadIdx.x), 1);  // LINE shuffle
}

__global__ void masks_differ() {
    __syncwarp(threadIdx.x < 16 ? 0xffffffff : 0xffff0000);  // LINE masks
    __syncthreads();
}

__global__ void divergent_barrier() {
    if (threadIdx.x % 2)
        __syncthreads();  // LINE odd
    else
        __syncthreads();  // LINE even
}

__global__ void not_in_mask() { __syncwarp(1); }  // LINE mask

__global__ void empty_mask() { __ballot_sync(0, 1); }  // LINE empty

__global__ void absent_lane(int* a) { *a = __shfl_down_sync(~0u, int(threadIdx.x), 16); }  // LINE absent

#define THROW throw  // nvcc refuses it, and so does the translator where it sees it
__global__ void throws(int n) {
    __syncthreads();
    if (blockIdx.x == 1 && int(threadIdx.x) == n) THROW std::runtime_error("thrown by a kernel");
    __syncthreads();
}

int destroyed = 0;
struct Guard {
    ~Guard() { destroyed++; }
};
__global__ void destructors() {
    Guard guard;
    if (threadIdx.x < 63)
        __syncthreads();
    else
        __syncwarp(3u << 30);  // lane 30 is in the barrier
}

// Each thread destroys its copy of the argument, and cannot free what the host has allocated. The host destroys a copy
// when the kernel has run, as on a GPU.
struct Owner {
    int* a = nullptr;
    ~Owner() { cudaFree(a); }
};
__global__ void owns(Owner owner, int* last) { *last = atomicAdd(owner.a, 1); }

struct Counted {
    static inline int alive = 0;
    Counted() { alive++; }
    Counted(const Counted&) { alive++; }
    ~Counted() { alive--; }
};
__global__ void while_capturing(Counted) { THROW std::runtime_error("thrown while another stream captures"); }

__global__ void sum(int* a) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    atomicAdd(a, s[63 - threadIdx.x]);
}

__global__ void launches(int* a) { sum<<<1, 64>>>(a); }

template <class F>
void message_of(const char* name, F launch) {
    try {
        launch();
        std::printf("%s: no error\n", name);
    } catch (const std::exception& e) {
        std::printf("%s: %s\n", name, e.what());
    }
    int a = 0;  // and the next launch works
    sum<<<2, 64>>>(&a);
    if (a != 2 * 2016) std::printf("%s: then a sum of %d\n", name, a);
}

void waits() {
    int a = 0;
    message_of("barrier_and_warp", [] { barrier_and_warp<<<dim3(3, 2), 64>>>(); });
    message_of("lane_never_comes", [&] { lane_never_comes<<<1, 4>>>(&a); });
    message_of("masks_differ", [] { masks_differ<<<1, 32>>>(); });
    message_of("divergent_barrier", [] { divergent_barrier<<<1, 32>>>(); });
    message_of("not_in_mask", [] { not_in_mask<<<1, dim3(2, 2)>>>(); });
    message_of("empty_mask", [] { empty_mask<<<1, 40>>>(); });
    message_of("absent_lane", [&] { absent_lane<<<1, 48>>>(&a); });
    message_of("throws", [] { throws<<<3, 100>>>(57); });
    message_of("destructors", [] { destructors<<<1, 64>>>(); });
    message_of("launches", [&] { launches<<<1, 1>>>(&a); });
    std::printf("destroyed: %d\n", destroyed);
    Owner owner;
    cudaMallocManaged(&owner.a, sizeof(int));
    *owner.a = 0;
    owns<<<2, 64>>>(owner, &a);
    std::printf("owned: %d, error %d\n", a, cudaFree(owner.a));
    cudaStream_t captures, runs;
    cudaStreamCreate(&captures);
    cudaStreamCreate(&runs);
    cudaStreamBeginCapture(captures);
    Counted counted;
    void* arguments[] = {&counted};
    for (const bool by_address : {false, true}) {
        try {
            if (by_address)
                cudaLaunchKernel((void*)while_capturing, 1, 1, arguments, 0, runs);
            else
                while_capturing<<<1, 1, 0, runs>>>(counted);
        } catch (const std::exception& e) {
            std::printf("while_capturing: %s\n", e.what());
        }
    }
    std::printf("kept: %d\n", Counted::alive - 1);
}

// ---- order ----

// A missing __syncthreads(): the result depends on the order of the threads, so the opposite order finds it.

__global__ void neighbour(int* a, bool wait, int value) {
    __shared__ int s[64];
    s[threadIdx.x] = value;
    if (wait) __syncthreads();
    // Without the barrier this is right in one order only.
    a[threadIdx.x] = threadIdx.x > 0 ? s[threadIdx.x - 1] : 0;  // LINE read
}

// In which order threads and blocks run, also after a barrier.
__global__ void order() {
    std::printf(" %u.%u", blockIdx.x, threadIdx.x);
    __syncthreads();
    std::printf(" %u.%u", blockIdx.x, threadIdx.x);
}

void order_of_threads() {
    for (const bool wait : {true, false}) {
        int a[64], sum = 0;
        neighbour<<<1, 64>>>(a, wait, wait ? 1 : 2);
        for (const int v : a) sum += v;
        std::printf("%s: %d\n", wait ? "with" : "without", sum);
    }
    std::printf("order:");
    order<<<2, 3>>>();
    std::printf("\n");
}

int main(int, char** argv) { std::strcmp(argv[1], "waits") == 0 ? waits() : order_of_threads(); }
