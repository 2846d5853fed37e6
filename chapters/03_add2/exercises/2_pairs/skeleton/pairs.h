// pairs.h: what pairs.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[r][c] = a[r] + b[c] for 0 <= r < rows and 0 <= c < columns, as torch computes a[:, None] + b: a has `rows`
// elements, b has `columns`, and out is row-major. Each may be 0. Works in the order of `stream`. Throws
// std::runtime_error when the launch fails.
void launch_pairs(float* out, const float* a, const float* b, int64_t rows, int64_t columns, cudaStream_t stream);
