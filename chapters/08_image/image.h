// image.h: the launchers of image.cu. Pointers lead to memory of the current device. A launcher throws
// std::runtime_error if its launch fails.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// Images of one size. A pixel is three bytes, and the pixels of a row lie side by side. Rows and images may lie apart,
// as in a crop: pixel (i, y, x) begins at data + i * image_stride + y * row_stride + 3 * x.
struct Images {
    const uint8_t* data;
    int64_t count, height, width;      // pixels
    int64_t image_stride, row_stride;  // bytes
};

// gray[i][y][x] = 0.299 R + 0.587 G + 0.114 B, rounded to the nearest integer, halves up. The weights are those of
// ITU-R BT.601. bgr: a pixel's bytes are B, G, R. gray has no gaps, and may begin at any byte.
void launch_rgb_to_gray(uint8_t* gray, const Images& images, bool bgr, cudaStream_t stream);

// The naive way: a thread for each pixel, and the fraction is cut off. Red comes first.
void launch_rgb_to_gray_naive(uint8_t* gray, const Images& images, cudaStream_t stream);

// out[i] = volume[i] / maxVal for 0 <= i < n, as IEEE 754 rounds it.
void launch_normalize_volume(float* out, const uint16_t* volume, int64_t n, float maxVal, cudaStream_t stream);

// The same, with a thread for each voxel.
void launch_normalize_volume_naive(float* out, const uint16_t* volume, int64_t n, float maxVal, cudaStream_t stream);
