// gather.h: what gather.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// One warp reads in[first + i * stride] for its lanes i, and writes out[i].
void launch_gather(float* out, const float* in, int64_t first, int64_t stride, cudaStream_t stream);
