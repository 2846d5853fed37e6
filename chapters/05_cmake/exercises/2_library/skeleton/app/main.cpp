// main.cpp: a program that calls the library. It prints 2 4 6.
#include <cstdio>

#include "common/cuda_check.h"
#include "scale.h"

int main() {
    float host[3] = {1, 2, 3};
    float* x = nullptr;
    CHECK_CUDA(cudaMalloc(&x, sizeof host));
    CHECK_CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    launch_scale(x, 2, 3, nullptr);
    CHECK_CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(x));
    std::printf("%g %g %g\n", host[0], host[1], host[2]);
}
