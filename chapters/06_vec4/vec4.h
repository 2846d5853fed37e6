// vec4.h: the launchers of vec4.cu, five ways to add. Without torch, so any C++ program can call them.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// Each computes c[i] = a[i] + b[i] for 0 <= i < n, in the order of `stream`. The pointers lead to memory of the current
// device. c may be a or b. Each throws std::runtime_error if its launch fails.

// One thread adds one element.
void launch_add_scalar(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);

// The grid has as many threads as the GPU holds at a time. Each goes on until the array ends.
void launch_add_grid_stride(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);

// One thread makes `loads` loads (1, 2, 4 or 8) of `width` floats (1 or 4) from each input before its first store. With
// width = 4 the pointers must be multiples of 16 bytes, and n of 4. Each block reserves `reserved` bytes of shared
// memory and does not use them, so that a multiprocessor has room for fewer blocks. Throws std::invalid_argument for
// other loads or widths, and std::runtime_error for more shared memory than a block of this GPU may have.
void launch_add_unrolled(float* c, const float* a, const float* b, int64_t n, int loads, int width, int reserved,
                         cudaStream_t stream);

// How many threads of that kernel a multiprocessor of the current device holds at a time. Throws as above.
int threads_per_sm(int loads, int width, int reserved);

// One thread adds four elements, with loads of 16 bytes. The pointers must be multiples of 16 bytes, and n of 4.
void launch_add_vec4(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);

// For every n and every address, with loads of 16 bytes where the addresses allow them. T is float, double, __half or
// __nv_bfloat16. In half precision, two numbers are added as floats, and the sum is rounded once.
template <class T>
void launch_add_forward(T* c, const T* a, const T* b, int64_t n, cudaStream_t stream);
