// permute.h: what permute.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[k][j][i] = in[i][j][k] for 0 <= i < a <= 2^20, 0 <= j < b <= 65535, 0 <= k < c, as
// in.permute(2, 1, 0).contiguous() in torch. in has a x b x c elements, out has c x b x a, both row-major: k changes
// fastest in in, i in out.
void launch_permute(float* out, const float* in, int64_t a, int64_t b, int64_t c, cudaStream_t stream);
