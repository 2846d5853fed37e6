// prepare.cu: a crop of an image, flipped, in planes of floats, normalised: in one kernel.
#include "prepare.h"

#include <algorithm>

#include "common/check.h"
#include "common/grid.h"

// your code
__global__ void prepare_kernel(float* out, const uint8_t* img, int64_t height, int64_t width, int64_t row_stride,
                               bool flip, float mean, float scale) {
    const int64_t x = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int64_t y = blockIdx.y; y < height; y += gridDim.y) {
        const uint8_t* p = img + y * row_stride + 3 * (flip ? width - 1 - x : x);
        for (int c = 0; c < 3; c++) out[(c * height + y) * width + x] = (p[c] - mean) * scale;
    }
}

void launch_prepare(float* out, const uint8_t* img, int64_t height, int64_t width, int64_t row_stride, bool flip,
                    float mean, float scale, cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    constexpr int threads = 128;
    const dim3 grid(blocks_for(width, threads), unsigned(std::min(height, int64_t(65535))));
    prepare_kernel<<<grid, threads, 0, stream>>>(out, img, height, width, row_stride, flip, mean, scale);
    CHECK_LAUNCH();
}
// end of your code
