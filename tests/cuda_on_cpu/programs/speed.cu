// How long the launches of CUDA on CPU take: median of 15. tools/maintain/bench_cuda_on_cpu.py builds and runs it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

__global__ void add(float* c, const float* a, const float* b, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__inline__ __device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

template <int THREADS>
__global__ void sum_shuffle(float* out, const float* x, int n) {
    __shared__ float partial[THREADS / 32];
    const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = warp_sum(i < n ? x[i] : 0.f);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = warp_sum(lane < THREADS / 32 ? partial[lane] : 0.f);
        if (lane == 0) atomicAdd(out, v);
    }
}

__global__ void sum_tree(float* out, const float* x, int n) {
    extern __shared__ float s[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0.f;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, s[0]);
}

template <class F>
void timed(const char* name, F run) {
    std::vector<double> ms;
    for (int i = 0; i < 15; i++) {
        const auto start = std::chrono::steady_clock::now();
        run();
        ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(ms.begin(), ms.end());
    std::printf("%-12s %8.2f ms  (%.2f to %.2f)\n", name, ms[7], ms[0], ms[14]);
}

int main() {
    const int n = 1 << 20, threads = 256, blocks = n / threads;
    float *a, *b, *c, *sum;
    for (float** p : {&a, &b, &c, &sum}) cudaMallocManaged(p, n * sizeof(float));
    std::fill(a, a + n, 1.f), std::fill(b, b + n, 2.f);
    timed("add", [&] { add<<<blocks, threads>>>(c, a, b, n); });
    timed("sum_shuffle", [&] { *sum = 0, sum_shuffle<threads><<<blocks, threads>>>(sum, a, n); });
    if (*sum != n) return 1;
    timed("sum_tree", [&] { *sum = 0, sum_tree<<<blocks, threads, threads * sizeof(float)>>>(sum, a, n); });
    return *sum != n || c[n - 1] != 3;
}
