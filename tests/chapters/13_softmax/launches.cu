// What a caller in C++ finds of chapter 13's launchers, and no tensor of torch shows. test_softmax.py runs it with
// the memory check.
#include <cuda_fp16.h>

#include <cstdio>

#include "chapters/13_softmax/launch.h"
#include "chapters/13_softmax/rms_norm.h"

// `partial` begins 16 bytes past a multiple of 32: right for a pack of 16 bytes, and not for one of 8 floats.
static void partial_at_16_bytes() {
    constexpr int64_t rows = 4, n = 8;
    __half *memory, ones[rows * n], result[n];
    float* partial;
    for (__half& one : ones) one = __float2half(1);
    cudaMalloc(&memory, 2 * sizeof ones + sizeof result);
    cudaMalloc(&partial, (partial_rows<__half>(rows, n, Step::automatic) * n + 4) * sizeof(float));
    cudaMemcpy(memory, ones, sizeof ones, cudaMemcpyHostToDevice);
    __half *grad_x = memory + rows * n, *grad_weight = grad_x + rows * n;
    launch_rms_norm_backward(grad_x, grad_weight, partial + 4, memory, memory, memory, rows, n, 0, Step::automatic, 0);
    cudaMemcpy(result, grad_weight, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("gradient of weight:");
    for (const __half& value : result) std::printf(" %g", double(__half2float(value)));
}

// How often choose() asks for a kernel's longest row, where rows are no whole packs.
static int asked;
struct Counted {
    Step step;
    bool whole;
    int64_t most = INT64_MAX;
    int64_t longest() const { return asked++, INT64_MAX; }
};

int main() {
    partial_at_16_bytes();
    const Counted kernels[] = {{Step::cluster, true}, {Step::online, false}};
    const bool online = choose(kernels, Step::automatic, 50257, false).step == Step::online;
    std::printf("\nrows of 50257 elements: %s, asked %d times\n", online ? "online" : "cluster", asked);
}
