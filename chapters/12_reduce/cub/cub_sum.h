// cub_sum.h: the sum of an array by NVIDIA's library CUB. For a GPU only.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// *out = the sum of the n elements of x. `memory` has so many bytes, which CUB uses as it likes. If it is null, this
// only sets `bytes` to what CUB needs.
void launch_cub_sum(float* out, const float* x, int64_t n, void* memory, size_t& bytes, cudaStream_t stream);
