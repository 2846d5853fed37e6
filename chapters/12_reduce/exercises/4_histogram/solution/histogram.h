// histogram.h: what histogram.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// counts[v] += how many of x[0] to x[n - 1] are v, for the 256 values of v.
void launch_histogram(int* counts, const uint8_t* x, int64_t n, cudaStream_t stream);
