// prepare.cu: a crop of an image, flipped, in planes of floats, normalised: in one kernel.
#include "prepare.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

// your code
// The 12 bytes at p, in the first three words. They lie in three aligned words, or in four.
__device__ void load_12_bytes(unsigned (&words)[4], const uint8_t* p, unsigned shift) {
    const unsigned* pieces = reinterpret_cast<const unsigned*>(p - shift);
    for (int k = 0; k < 3; k++) words[k] = pieces[k];
    if (shift != 0) words[3] = pieces[3];
    for (int k = 0; k < 3; k++) words[k] = __funnelshift_r(words[k], words[k + 1], 8 * shift);
}

// A thread computes four pixels of a row, with a float4 in each plane.
__global__ void prepare_kernel(float* out, const uint8_t* img, int64_t height, int64_t width, int64_t row_stride,
                               bool flip, float mean, float scale) {
    const int64_t x = 4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);  // in out
    if (x >= width) return;
    const int64_t begin = 3 * (flip ? width - 4 - x : x);  // in img, in bytes from the row's beginning
    for (int64_t y = blockIdx.y; y < height; y += gridDim.y) {
        const uint8_t* p = img + y * row_stride + begin;
        const unsigned shift = uintptr_t(p) % 4;
        unsigned words[4] = {};
        if (begin >= shift && begin - shift + (shift == 0 ? 12 : 16) <= 3 * width) {
            load_12_bytes(words, p, shift);
        } else {
            for (int k = 0; k < 12; k++) words[k / 4] |= unsigned(p[k]) << (8 * (k % 4));
        }
        const auto byte = [&](int k) { return (words[k / 4] >> (8 * (k % 4))) & 255; };
        for (int c = 0; c < 3; c++) {
            float v[4];
            for (int k = 0; k < 4; k++) v[k] = (float(flip ? byte(9 - 3 * k + c) : byte(3 * k + c)) - mean) * scale;
            *reinterpret_cast<float4*>(out + (c * height + y) * width + x) = make_float4(v[0], v[1], v[2], v[3]);
        }
    }
}

void launch_prepare(float* out, const uint8_t* img, int64_t height, int64_t width, int64_t row_stride, bool flip,
                    float mean, float scale, cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    constexpr int threads = 128;
    const dim3 grid(blocks_for(width, 4 * threads), unsigned(std::min(height, int64_t(65535))));
    prepare_kernel<<<grid, threads, 0, stream>>>(out, img, height, width, row_stride, flip, mean, scale);
    CHECK_LAUNCH();
}
// end of your code
