// Reads and writes beyond the end, for AddressSanitizer. The argument says where.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void global(float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) a[i] = 1;  // LINE global
}

__global__ void reads(float* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n && a[i] == 1) a[0] = 2;  // LINE reads
}

__global__ void shared(float* a) {
    __shared__ float s[33];
    s[threadIdx.x] = 1;  // LINE shared
    __syncthreads();
    a[0] = s[0];
}

__global__ void dynamic(float* a) {
    extern __shared__ float s[];
    __syncthreads();
    s[threadIdx.x] = 1;  // LINE dynamic
    __syncthreads();
    a[0] = s[0];
}

__global__ void local(float* a) {
    volatile float own[4] = {};
    __syncthreads();                                   // on a fiber of its own by now
    own[threadIdx.x] = __shfl_sync(~0u, 1.f, 0);  // LINE local
    a[0] = own[0];
}

__global__ void good(float* a, int n) {  // waits on stacks that have been used and left in the middle
    volatile float own[64];
    for (int i = 0; i < n; i++) own[i] = float(threadIdx.x);
    for (int d = 16; d > 0; d /= 2) own[0] = own[0] + __shfl_down_sync(~0u, own[0], d);
    if (threadIdx.x == 40 && n == 63) __syncwarp(3);  // is not in the mask: an exception
    __syncthreads();
    if (threadIdx.x == 0) a[0] = own[0];
}

int main(int, char** argv) {
    const int n = 1000;
    float* a = static_cast<float*>(calloc(n, sizeof(float)));
    if (!strcmp(argv[1], "global")) global<<<4, 256>>>(a, n);
    if (!strcmp(argv[1], "reads")) reads<<<4, 256>>>(a, n);
    if (!strcmp(argv[1], "shared")) shared<<<1, 64>>>(a);
    if (!strcmp(argv[1], "dynamic")) dynamic<<<1, 64, 63 * sizeof(float)>>>(a);
    if (!strcmp(argv[1], "local")) local<<<1, 5>>>(a);
    for (int i = 0; i < 20; i++) {
        try {
            good<<<3, 256>>>(a, i % 2 ? 63 : 64);
        } catch (const std::exception&) {
        }
    }
    printf("ok %g\n", a[0]);
    free(a);
}
