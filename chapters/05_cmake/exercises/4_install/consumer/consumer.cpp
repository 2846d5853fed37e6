// consumer.cpp: it knows only what is installed. It prints 2 4 6.
#include <cstdio>

#include <cuda_runtime.h>
#include <scale.h>

int main() {
    float host[3] = {1, 2, 3};
    float* x = nullptr;
    cudaMalloc(&x, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    launch_scale(x, 2, 3, nullptr);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(x);
    std::printf("%g %g %g\n", host[0], host[1], host[2]);
}
