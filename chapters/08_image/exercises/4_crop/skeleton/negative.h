// negative.h: what negative.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[y][x] = 255 - in[y][x] for all bytes of an image, `width` to a row, in the order of `stream`. Row y begins at
// in + y * row_stride, and at out + y * width.
void launch_negative(uint8_t* out, const uint8_t* in, int64_t height, int64_t width, int64_t row_stride,
                     cudaStream_t stream);
