// maximum.h: what maximum.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// *out = the largest of x[0] to x[n - 1], as torch.max has it: NaN where any of them is NaN. n > 0.
// partial: memory for `blocks` floats. *ticket is 0. The grid has `blocks` blocks of 64 threads.
void launch_maximum(float* out, const float* x, int64_t n, float* partial, unsigned* ticket, int blocks,
                    cudaStream_t stream);
