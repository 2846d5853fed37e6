// Adds numbers, and is wrong on purpose: README.md shows what cuda-on-cpu says of it.
#include <cstdio>

__global__ void sum(float* total, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *total += in[i];
}

int main() {
    const int n = 1000;
    float *in, *total;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&total, sizeof(float));
    for (int i = 0; i < n; i++) in[i] = 1;
    *total = 0;
    sum<<<(n + 255) / 256, 256>>>(total, in, n);
    cudaDeviceSynchronize();
    printf("the sum is %g\n", *total);
}
