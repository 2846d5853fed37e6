// swap.h: what swap.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// n pixels of four bytes each, B, G, R, A, become R, G, B, A, in the order of `stream`. n is a multiple of 4, and the
// pointers are multiples of 16 bytes.
void launch_swap(uint8_t* rgba, const uint8_t* bgra, int64_t n, cudaStream_t stream);
