// past_shared.cu: a pointer hides how long the shared array is. Each block has one thread more than the array has
// elements.
#include <cuda_runtime.h>

__global__ void reversed(float* out, const float* in) {
    __shared__ float s[255];
    float* p = s;
    p[threadIdx.x] = in[threadIdx.x];  // LINE reversed
    __syncthreads();
    out[threadIdx.x] = p[blockDim.x - 1 - threadIdx.x];
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof(float));
    cudaMalloc(&out, 256 * sizeof(float));
    cudaMemset(in, 0, 256 * sizeof(float));
    reversed<<<4, 256>>>(out, in);
}
