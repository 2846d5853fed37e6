// bias.h: what bias.cu offers.
#pragma once
#include <cuda_runtime.h>

// out = softmax(q @ k.T / sqrt(32) + bias) @ v, for `queries` rows of q and out, and `keys` rows of k and v, of 32
// floats each. bias has `queries` rows of `keys` floats, fewer than 2^31, which may be -infinity: such a query does not
// see such a key. Where a query sees no key, out is 0; where q has a NaN, out has NaNs.
void launch_bias(float* out, const float* q, const float* k, const float* v, const float* bias, int queries, int keys,
                 cudaStream_t stream);
