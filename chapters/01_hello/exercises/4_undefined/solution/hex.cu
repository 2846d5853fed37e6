// hex.cu: bytes in hexadecimal. The digits are in constant memory.
#include "hex.h"

#include "common/cuda_check.h"
#include "common/grid.h"

__constant__ char digits[] = "0123456789abcdef";

// Thread i of the grid writes the two digits of byte i.
__global__ void hex_kernel(int8_t* out, const int8_t* in, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint8_t byte = in[i];  // as int8_t, half of all bytes are below 0
    out[2 * i] = digits[byte / 16];
    out[2 * i + 1] = digits[byte % 16];
}

void launch_hex(int8_t* out, const int8_t* in, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int threads = 4;
    hex_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, in, n);
    CHECK_LAUNCH();
}
