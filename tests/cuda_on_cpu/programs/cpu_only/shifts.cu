// shifts.cu: thread 32 shifts by all bits of its number. A GPU gives 0, a CPU gives 1.
#include <cuda_runtime.h>

__global__ void powers(unsigned* out) {
    out[threadIdx.x] = 1u << threadIdx.x;  // LINE powers
}

int main() {
    unsigned* out;
    cudaMalloc(&out, 64 * sizeof(unsigned));
    powers<<<1, 64>>>(out);
}
