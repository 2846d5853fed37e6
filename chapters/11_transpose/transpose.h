// transpose.h: what transpose.cu offers, for T = uint8_t, uint16_t, uint32_t and uint64_t. A transpose only moves
// elements, so one of these stands for every type of its size. No torch, so any C++ program can call it.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All of them: out[m][c][r] = in[m][r][c], for `matrices` matrices of rows x columns elements, which lie one after
// another. The pointers are to memory of the current device, and out does not overlap in. Work is done in the order of
// `stream`. They throw std::runtime_error when a launch fails, and std::invalid_argument where a single matrix has more
// tiles than a grid can have blocks (common/grid.h).
#define DECLARE_TRANSPOSE(name) \
    template <class T>          \
    void name(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream);

DECLARE_TRANSPOSE(launch_transpose_naive)     // each thread moves one element
DECLARE_TRANSPOSE(launch_transpose_tile)      // ... by way of shared memory
DECLARE_TRANSPOSE(launch_transpose_padded)    // ... whose rows are one bank longer
DECLARE_TRANSPOSE(launch_transpose_swizzled)  // ... whose columns are exchanged instead
DECLARE_TRANSPOSE(launch_transpose_strips)    // 16 bytes at a time, at any address; few rows or columns are one strip
DECLARE_TRANSPOSE(launch_transpose)           // squares of 16 bytes each way where they fit, else strips
