// A launch that the memory check ends, and then two that it does not: test_microscope.py asks for the requests of
// these two.
#include <stdio.h>
#include <stdlib.h>

#include <stdexcept>

__global__ void copy(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
    float *in, *out;
    cudaMalloc(&in, 4096), cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    try {
        copy<<<1, 32>>>(out, in + 1024 - 3);  // of which three lanes read
        puts("nothing was found");
        return EXIT_FAILURE;
    } catch (const std::runtime_error&) {
    }
    for (int k = 0; k < 2; k++) copy<<<1, 32>>>(out, in);
    return EXIT_SUCCESS;
}
