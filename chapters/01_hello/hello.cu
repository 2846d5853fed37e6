// hello.cu: what runs on the GPU. load_inline calls this text cuda_sources and writes it to cuda.cu.
#include "hello.h"

#include "common/cuda_check.h"

__constant__ char letters[] = "Hello World!";  // constant memory: small, read-only, the same for every thread

// Thread i writes letter i. Twelve threads write the text, at the same time.
__global__ void hello_kernel(int8_t* out) { out[threadIdx.x] = letters[threadIdx.x]; }

void launch_hello(int8_t* out, cudaStream_t stream) {
    hello_kernel<<<1, hello_length, 0, stream>>>(out);  // 1 block of 12 threads
    CHECK_LAUNCH();
}
