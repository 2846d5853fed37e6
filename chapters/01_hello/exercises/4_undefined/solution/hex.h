// hex.h: what hex.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[2 i] and out[2 i + 1], letters of ASCII, show byte in[i] in hexadecimal, 0 <= i < n: of 'H', which is 72, "48".
void launch_hex(int8_t* out, const int8_t* in, int64_t n, cudaStream_t stream);
