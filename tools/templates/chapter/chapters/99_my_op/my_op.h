// my_op.h: what my_op.cu offers, for T = float, __half and __nv_bfloat16.
// No torch, so any C++ program can call it.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = factor * x[i] for all n elements, computed in float and rounded to T once. x and out are memory of the
// current device, and do not overlap. Work is done in the order of `stream`. Throws std::runtime_error when the launch
// fails.
template <class T>
void launch_my_op(T* out, const T* x, int64_t n, float factor, cudaStream_t stream);
