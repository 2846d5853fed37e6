// merge.h: what merge.cu offers.
#pragma once
#include <cuda_runtime.h>

// a and b: attention of the same queries with two halves of the keys, `rows` rows of 32 floats, and the log-sum-exp of
// each row. out and lse are those of all keys. Where a row of a or b sees no key, it is 0 and its log-sum-exp
// -infinity.
void launch_merge(float* out, float* lse, const float* a, const float* a_lse, const float* b, const float* b_lse,
                  int rows, cudaStream_t stream);
