// A missing __syncthreads(): the result depends on the order of the threads, so the opposite order finds it.
#include <cstdio>

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

int main() {
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
