// Requests that access.cu has not, and no GPU has counted: test_microscope.py has them worked out by hand. Each kernel
// has one warp.
#include <stdio.h>
#include <stdlib.h>

#include <stdexcept>

struct Six {
    float v[6];
};
__global__ void large_struct(Six* out, const Six* in) { out[threadIdx.x] = in[threadIdx.x]; }

struct Shorts {
    short v[4];
};
__global__ void shorts(Shorts* out, const Shorts* in) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void shuffles(float* out, const float* in) {
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        sum += in[k * 32 + threadIdx.x];
        sum += __shfl_xor_sync(~0u, sum, 1);
    }
    out[threadIdx.x] = sum;
}

[[gnu::noinline]] __device__ float load(const float* p) { return *p; }  // one instruction, however loops are unrolled

__global__ void two_memories(float* out, const float* in) {
    __shared__ float shared[64];
    shared[2 * threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    float sum = 0;
    for (int k = 0; k < 2; k++) sum += load((k == 0 ? in : shared) + (k + 1) * threadIdx.x);
    out[threadIdx.x] = sum;
}

__global__ void stores16(float4* out, const float4*) {  // lanes n and n ^ 2 write one value to one address
    __shared__ float4 shared[16];
    const unsigned place = threadIdx.x / 4 * 2 + threadIdx.x % 2;
    shared[place] = make_float4(1, 2, 3, 4);
    __syncwarp();
    out[threadIdx.x] = shared[place];
}

__global__ void ends_early(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
    char *in, *out;
    cudaMalloc(&in, 4096), cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    large_struct<<<1, 32>>>((Six*)out, (const Six*)in);
    shorts<<<1, 32>>>((Shorts*)out, (const Shorts*)in);
    shorts<<<1, 32>>>((Shorts*)out, (const Shorts*)(in + 2));
    shuffles<<<1, 32>>>((float*)out, (const float*)in);
    two_memories<<<1, 32>>>((float*)out, (const float*)in);
    stores16<<<1, 32>>>((float4*)out, (const float4*)in);
    try {
        ends_early<<<1, 32>>>((float*)out, (const float*)(in + 4096 - 12));  // of which three lanes read
        puts("nothing was found");
        return EXIT_FAILURE;
    } catch (const std::runtime_error&) {
    }
    ends_early<<<1, 32>>>((float*)out, (const float*)in);
    return EXIT_SUCCESS;
}
