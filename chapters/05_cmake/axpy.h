// axpy.h: what axpy.cu and axpy.cpp offer to a C++ program. It includes no torch header, because nvcc reads this file
// as well.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

namespace at {
class Tensor;  // enough to declare a function; a file that calls it includes <ATen/core/Tensor.h>
}

// alpha * x + y, BLAS's axpy, but as a new tensor. x, y: float32, contiguous, of one shape and device. For anything
// else it throws c10::TypeError or c10::ValueError, which become Python's.
at::Tensor axpy(const at::Tensor& x, const at::Tensor& y, double alpha);

// z[i] = alpha * x[i] + y[i] for 0 <= i < n, in the order of `stream`, rounded once. The pointers are to memory of the
// current device. z may be x or y. Throws std::runtime_error when the launch fails.
void launch_axpy(float* z, float alpha, const float* x, const float* y, int64_t n, cudaStream_t stream);
