// prepare.h: what prepare.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// What a network for images gets, made in one kernel. In torch, with img of H x W x 3 bytes, it takes three or four:
//     flipped = img.flip(1) if flip else img           # the last column first
//     planes = flipped.permute(2, 0, 1).float()        # 3 x H x W: all red values, then all green, then all blue
//     out = (planes - mean) * scale
// img may be a crop: its rows begin at img + y * row_stride, which may be any byte, and no byte beside them is read.
// width is a multiple of 4, and out, which has no gaps, begins at a multiple of 16 bytes. height or width may be 0. For
// 32 pixels of wide images, a warp executes at most 2.5 loads and stores.
void launch_prepare(float* out, const uint8_t* img, int64_t height, int64_t width, int64_t row_stride, bool flip,
                    float mean, float scale, cudaStream_t stream);
