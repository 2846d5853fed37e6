// vec4.h: what vec4.cu offers: one sum, five ways. No torch, so any C++ program can call it.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All of them: c[i] = a[i] + b[i] for 0 <= i < n, in the order of `stream`. The pointers are to memory of the current
// device. c may be a or b. They throw std::runtime_error when the launch fails.

// One thread adds one element.
void launch_add_scalar(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);

// As many threads as the GPU holds at a time; each goes on until the array ends.
void launch_add_grid_stride(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);

// One thread makes `loads` loads (1, 2, 4 or 8) of `width` floats (1 or 4) from each input before its first store. With
// width = 4 the pointers must be multiples of 16 bytes, and n of 4. Each block reserves `reserved` bytes of shared
// memory and does not use them: a multiprocessor then has room for fewer blocks. Throws std::invalid_argument for other
// loads or widths, std::runtime_error for more shared memory than a block of this GPU may have.
void launch_add_unrolled(float* c, const float* a, const float* b, int64_t n, int loads, int width, int reserved,
                         cudaStream_t stream);

// How many threads of that kernel a multiprocessor of the current device holds at a time. Throws as above.
int threads_per_sm(int loads, int width, int reserved);

// One thread adds four elements, with loads of 16 bytes. The pointers must be multiples of 16 bytes, and n of 4.
void launch_add_vec4(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream);

// The same for every n, all addresses, and T = float, double, __half and __nv_bfloat16: the fastest way that the
// addresses allow. In half precision the sum of two floats is rounded once.
template <class T>
void launch_add_forward(T* c, const T* a, const T* b, int64_t n, cudaStream_t stream);
