// top1.h: what top1.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// Of each row of n > 0 elements: values[r] = the largest, indices[r] = the first place where it lies. As in torch, NaN
// is larger than all numbers, so the first NaN of a row is its largest element.
void launch_top1(float* values, int64_t* indices, const float* x, int64_t rows, int64_t n, cudaStream_t stream);
