// negative.cu: the negative of an image, a byte a thread.
#include "negative.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

__global__ void negative_kernel(uint8_t* out, const uint8_t* in, int64_t height, int64_t width, int64_t row_stride) {
    const int64_t x = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int64_t y = blockIdx.y; y < height; y += gridDim.y) out[y * width + x] = 255 - in[y * row_stride + x];
}

void launch_negative(uint8_t* out, const uint8_t* in, int64_t height, int64_t width, int64_t row_stride,
                     cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    constexpr int threads = 256;
    const dim3 grid(blocks_for(width, threads), unsigned(std::min(height, int64_t(65535))));
    negative_kernel<<<grid, threads, 0, stream>>>(out, in, height, width, row_stride);
    CHECK_LAUNCH();
}
