// skips.cu: loops in which lanes skip a load in different rounds. A block of 32 threads, eight rounds.
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

// A mask says that a lane loads in one of eight rounds only: four lanes in each.
__global__ void masked(float* out, const float* in, const char* keep) {
    float sum = 0;
    for (int k = 0; k < rounds; k++) {
        const bool is_kept = keep[k * 32 + threadIdx.x];
        if (is_kept) sum += in[k * 32 + threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
__global__ void masked_shared(float* out, const char* keep) {
    __shared__ float s[rounds][33];
    for (int k = 0; k < rounds; k++) s[k][threadIdx.x] = 1;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < rounds; k++) {
        const bool is_kept = keep[k * 32 + threadIdx.x];
        if (is_kept) sum += s[k][threadIdx.x];
    }
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
    char* keep;
    cudaMallocManaged(&keep, rounds * 32);
    for (int i = 0; i < rounds * 32; i++) keep[i] = (i / 32 + i) % rounds == 0;
    masked<<<1, 32>>>(out, in, keep);
    masked_shared<<<1, 32>>>(out, keep);
    cudaFree(keep);
    const bool right = cudaDeviceSynchronize() == cudaSuccess;
    cudaFree(out);
    cudaFree(in);
    return !right;
}
