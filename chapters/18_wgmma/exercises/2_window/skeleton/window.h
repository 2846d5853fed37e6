// window.h: what window.cu offers.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

// out, 64 x 64: rows row to row + 63 and columns column to column + 63 of x, which has so many rows and columns. Rows
// of x begin at multiples of 16 bytes. What lies outside of x is 0. column is a multiple of 8; both may be negative.
void launch_window(__nv_bfloat16* out, const __nv_bfloat16* x, int rows, int columns, int row, int column,
                   cudaStream_t stream);
