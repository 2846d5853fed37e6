// invert.cu: the negative of a grey image, four pixels a thread.
#include "invert.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

// A piece has 4 bytes here. The thread's results fill a piece of `out`, and its pixels lie in one piece of `in`, or in
// two.
__global__ void invert_kernel(uint8_t* out, const uint8_t* in, int64_t height, int64_t width, int64_t row_stride) {
    const int64_t chunk = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int64_t y = blockIdx.y; y < height; y += gridDim.y) {
        uint8_t* results = out + y * width;
        const uint8_t* pixels = in + y * row_stride;
        const int64_t begin = 4 * chunk - int64_t(uintptr_t(results) % 4), end = begin + 4;
        const unsigned shift = uintptr_t(pixels + begin) % 4;
        // your code
        const int64_t begin_byte = begin - shift, end_byte = begin_byte + (shift == 0 ? 4 : 8);
        const bool inside = begin_byte >= 0 && end_byte <= width;
        // end of your code
        if (inside) {
            const unsigned* pieces = reinterpret_cast<const unsigned*>(pixels + begin - shift);
            const unsigned four = shift == 0 ? pieces[0] : __funnelshift_r(pieces[0], pieces[1], 8 * shift);
            *reinterpret_cast<unsigned*>(results + begin) = ~four;
        } else {
            for (int64_t x = max(begin, int64_t(0)); x < min(end, width); x++) results[x] = 255 - pixels[x];
        }
    }
}

void launch_invert(uint8_t* out, const uint8_t* in, int64_t height, int64_t width, int64_t row_stride,
                   cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    constexpr int threads = 128;
    const dim3 grid(blocks_for(width + 3 + 3, 4 * threads), unsigned(std::min(height, int64_t(65535))));
    invert_kernel<<<grid, threads, 0, stream>>>(out, in, height, width, row_stride);
    CHECK_LAUNCH();
}
