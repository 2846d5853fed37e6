// Shared memory and __syncthreads().
#include "expect.h"

template <int THREADS>
__global__ void reverse_static(int* a) {
    __shared__ int s[THREADS];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[THREADS - 1 - threadIdx.x];
}

template <typename T>
__global__ void reverse_dynamic(T* a) {
    extern __shared__ __align__(16) unsigned char bytes[];
    T* s = reinterpret_cast<T*>(bytes);
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void transpose(float* out, const float* in) {  // 2-D, with a static tile
    static __shared__ float tile[16][17];
    const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, width = gridDim.x * 16;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * gridDim.y * 16 + blockIdx.y * 16 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

__global__ void sum(float* out, const float* x, int n) {  // a tree, across warps, in many steps
    extern __shared__ float partial[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) partial[threadIdx.x] += partial[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

__global__ void votes(int* out) {
    const int t = threadIdx.x;
    const int count = __syncthreads_count(t % 3 == 0);
    const int all = __syncthreads_and(t < 100), nearly = __syncthreads_and(t < 99);
    const int any = __syncthreads_or(t == 57), none = __syncthreads_or(t == 1000);
    if (t == 99) out[0] = count, out[1] = all != 0, out[2] = nearly != 0, out[3] = any != 0, out[4] = none != 0;
}

__global__ void early_exit(int* a, int n) {  // threads that have returned do not count
    __shared__ int s[128];
    if (int(threadIdx.x) >= n) return;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    a[threadIdx.x] = s[n - 1 - threadIdx.x];
    if (threadIdx.x % 2) return;
    __syncthreads();
    a[threadIdx.x] += 1000;
}

__shared__ int scratch[64];  // at namespace scope

__device__ int neighbour(int value) {  // a barrier in a function
    scratch[threadIdx.x] = value;
    __syncthreads();
    const int other = scratch[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    return other;
}

__global__ void twice_neighbour(int* a) { a[threadIdx.x] = neighbour(neighbour(threadIdx.x)); }

__constant__ int table[4] = {1, 2, 3, 4};
static __constant__ float factor;
__device__ int counter;
__global__ void constants(float* out) {
    if (threadIdx.x < 4) out[threadIdx.x] = table[threadIdx.x] * factor;
    atomicAdd(&counter, 1);
}

int main() {
    int* a = device_array<int>(1024);
    for (int threads : {1, 31, 32, 33, 64, 256, 1024}) {
        for (int i = 0; i < 1024; i++) a[i] = i;
        reverse_dynamic<<<1, threads, threads * sizeof(int)>>>(a);
        EXPECT_DONE();
        for (int i = 0; i < 1024; i++) EXPECT(a[i] == (i < threads ? threads - 1 - i : i));
    }
    reverse_static<256><<<1, 256>>>(a + 512);
    EXPECT_DONE();
    for (int i = 0; i < 256; i++) EXPECT(a[512 + i] == 256 + i);  // reversed a second time, in part

    double* d = device_array<double>(100);
    for (int i = 0; i < 100; i++) d[i] = i;
    reverse_dynamic<<<1, 100, 100 * sizeof(double)>>>(d);
    EXPECT_DONE();
    for (int i = 0; i < 100; i++) EXPECT(d[i] == 99 - i);

    float *in = device_array<float>(48 * 32), *out = device_array<float>(48 * 32);
    for (int i = 0; i < 48 * 32; i++) in[i] = float(i);
    transpose<<<dim3(3, 2), dim3(16, 16)>>>(out, in);
    EXPECT_DONE();
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 48; x++) EXPECT(out[x * 32 + y] == in[y * 48 + x]);

    for (int i = 0; i < 1000; i++) in[i] = 1;
    out[0] = 0;
    sum<<<8, 128, 128 * sizeof(float)>>>(out, in, 1000);
    EXPECT_DONE();
    EXPECT(out[0] == 1000);

    votes<<<1, 100>>>(a);
    EXPECT_DONE();
    EXPECT(a[0] == 34 && a[1] == 1 && a[2] == 0 && a[3] == 1 && a[4] == 0);

    early_exit<<<1, 128>>>(a, 77);
    EXPECT_DONE();
    for (int i = 0; i < 77; i++) EXPECT(a[i] == 76 - i + (i % 2 ? 0 : 1000));

    twice_neighbour<<<1, 50>>>(a);
    EXPECT_DONE();
    for (int i = 0; i < 50; i++) EXPECT(a[i] == (i + 2) % 50);

    const float two = 2;
    const int ten = 10;
    int count = -1, back[4];
    EXPECT(cudaMemcpyToSymbol(factor, &two, sizeof two) == cudaSuccess);
    EXPECT(cudaMemcpyToSymbol(table, &ten, sizeof ten, 3 * sizeof(int)) == cudaSuccess);
    constants<<<2, 8>>>(out);
    EXPECT_DONE();
    EXPECT(cudaMemcpyFromSymbol(&count, counter, sizeof count) == cudaSuccess);
    EXPECT(cudaMemcpyFromSymbol(back, table, sizeof back) == cudaSuccess);
    EXPECT(out[0] == 2 && out[2] == 6 && out[3] == 20 && count == 16 && back[3] == 10 && back[1] == 2);
    return report();
}
