// skips.cu: loops in which each lane skips a load in another round. A block of 32 threads, eight rounds.
#include <cuda_runtime.h>

constexpr int rounds = 8;

// element(k) is what the lane loads in round k. Of eight rounds it skips one, and neighbours skip different ones.
template <class F>
__device__ float sum(const float* in, F element) {
    float sum = 0;
    for (int k = 0; k < rounds; k++)
        if ((k + threadIdx.x) % rounds) sum += in[element(k)];
    return sum;
}

__global__ void neighbours(float* out, const float* in) {
    out[threadIdx.x] = sum(in, [](int k) { return k * 32 + threadIdx.x; });
}
__global__ void every_third(float* out, const float* in) {
    out[threadIdx.x] = sum(in, [](int k) { return (k * 32 + threadIdx.x) * 3; });
}
__global__ void the_same(float* out, const float* in) {
    out[threadIdx.x] = sum(in, [](int k) { return 64 * k; });
}
__global__ void twice_each(float* out, const float* in) {
    out[threadIdx.x] = sum(in, [](int k) { return k / 2 * 32 + threadIdx.x; });
}
// Nothing is skipped. A lane's last element and the next lane's first one lie side by side in a sector.
__global__ void own_pieces(float* out, const float* in) {
    float sum = 0;
    for (int k = 0; k < rounds; k++) sum += in[4 + threadIdx.x * rounds + k];
    out[threadIdx.x] = sum;
}

int main() {
    float *out, *in;
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMalloc(&in, 4096 * sizeof(float));
    cudaMemset(in, 0, 4096 * sizeof(float));
    neighbours<<<1, 32>>>(out, in);
    every_third<<<1, 32>>>(out, in);
    the_same<<<1, 32>>>(out, in);
    twice_each<<<1, 32>>>(out, in);
    own_pieces<<<1, 32>>>(out, in);
    const bool right = cudaDeviceSynchronize() == cudaSuccess;
    cudaFree(out);
    cudaFree(in);
    return !right;
}
