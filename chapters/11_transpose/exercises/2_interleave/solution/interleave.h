// interleave.h: what interleave.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[3 * i + c] = in[c * n + i] for 0 <= i < n and 0 <= c < 3: three planes of n pixels become pixels of three
// colours.
void launch_interleave(float* out, const float* in, int64_t n, cudaStream_t stream);
