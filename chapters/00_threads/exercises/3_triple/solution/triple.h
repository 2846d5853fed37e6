// triple.h: what triple.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = 3 * in[i] for 0 <= i < n.
void launch_triple(int64_t* out, const int64_t* in, int64_t n, cudaStream_t stream);
