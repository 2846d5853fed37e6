// invert.h: what invert.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[y][x] = 255 - in[y][x], in the order of `stream`. out has no gaps. `in` may be a crop: row y begins at in + y *
// row_stride, and no byte beside the rows is read. Both may begin at any byte.
void launch_invert(uint8_t* out, const uint8_t* in, int64_t height, int64_t width, int64_t row_stride,
                   cudaStream_t stream);
