// image.cu: two operators on images. Each has a naive kernel, and one that is as fast as memory. No torch header in
// here.
#include "image.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

// ---- grey, a thread for each pixel ----------------------------------------------------------------------------------
// It loads three bytes and stores one. The conversion to an integer cuts the fraction off. nvcc would turn 0.299f * R +
// 0.587f * G + 0.114f * B into the same two fmaf(). Written out, they give the same bits on a CPU.
__global__ void rgbToGrayKernel(uint8_t* gray, Images images) {
    const int64_t x = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (x >= images.width) return;
    for (int64_t i = blockIdx.z; i < images.count; i += gridDim.z) {
        for (int64_t y = blockIdx.y * blockDim.y + threadIdx.y; y < images.height; y += gridDim.y * blockDim.y) {
            const uint8_t* rgb = images.data + i * images.image_stride + y * images.row_stride + 3 * x;
            const float sum = fmaf(0.114f, rgb[2], fmaf(0.587f, rgb[1], 0.299f * rgb[0]));
            gray[(i * images.height + y) * images.width + x] = uint8_t(sum);
        }
    }
}

// A grid with a thread for each of `columns` columns. CUDA allows at most 65535 blocks along y and z. In the kernels,
// loops over y and i reach the rows and images beyond them.
static dim3 grid_of(int64_t columns, const Images& images, dim3 block) {
    constexpr unsigned most = 65535;
    return {blocks_for(columns, block.x), std::min(blocks_for(images.height, block.y), most),
            std::min(blocks_for(images.count, block.z), most)};
}

void launch_rgb_to_gray_naive(uint8_t* gray, const Images& images, cudaStream_t stream) {
    if (images.count == 0 || images.height == 0 || images.width == 0) return;  // CUDA refuses a grid of 0 blocks
    const dim3 block(16, 16);
    rgbToGrayKernel<<<grid_of(images.width, images, block), block, 0, stream>>>(gray, images);
    CHECK_LAUNCH();
}

// ---- grey, 16 pixels a thread ---------------------------------------------------------------------------------------
// The weights are thousandths, so integers give the exact sum, and + 500 rounds it to the nearest, halves up. For B, G,
// R the outer two weights change places.
__device__ unsigned gray_of(unsigned first, unsigned second, unsigned third, bool bgr) {
    return ((bgr ? 114 : 299) * first + 587 * second + (bgr ? 299 : 114) * third + 500) / 1000;
}

// The 48 bytes at p, as the first 12 words. A GPU loads 16 bytes at once only from a multiple of 16. If p is not one, a
// thread loads the four aligned pieces that contain the 48 bytes, and shifts them: by two words, by one word, and by
// bytes. nvcc unrolls the loops, so all indices are constants, and the array stays in registers.
__device__ void load_48_bytes(unsigned (&words)[16], const uint8_t* p, unsigned shift) {
    const uint4* pieces = reinterpret_cast<const uint4*>(p - shift);
    for (int k = 0; k < 4; k++) {
        if (k == 3 && shift == 0) return;
        const uint4 piece = pieces[k];
        words[4 * k] = piece.x, words[4 * k + 1] = piece.y, words[4 * k + 2] = piece.z, words[4 * k + 3] = piece.w;
    }
    for (int k = 0; k < 14; k++) words[k] = shift & 8 ? words[k + 2] : words[k];
    for (int k = 0; k < 13; k++) words[k] = shift & 4 ? words[k + 1] : words[k];
    for (int k = 0; k < 12; k++) words[k] = __funnelshift_r(words[k], words[k + 1], 8 * (shift % 4));
}

// The 16 grey bytes at `out`, of the 16 pixels at p.
__device__ void gray_of_16_pixels(uint8_t* out, const uint8_t* p, unsigned shift, bool bgr) {
    unsigned words[16], result[4] = {};
    load_48_bytes(words, p, shift);
    const auto byte = [&](int k) { return (words[k / 4] >> (8 * (k % 4))) & 255; };
    for (int k = 0; k < 16; k++) {
        result[k / 4] |= gray_of(byte(3 * k), byte(3 * k + 1), byte(3 * k + 2), bgr) << (8 * (k % 4));
    }
    *reinterpret_cast<uint4*>(out) = make_uint4(result[0], result[1], result[2], result[3]);
}

// A thread computes the 16 pixels of one aligned uint4 of `gray`, with three or four loads and one store. If the row
// begins or ends within that uint4, or if a load would leave the row, the thread goes pixel by pixel instead.
// aligned: the shift is 0 in all rows, so nvcc leaves the shifting out.
template <bool aligned>
__global__ void rgb_to_gray_kernel(uint8_t* gray, Images images, bool bgr) {
    const int64_t chunk = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int64_t i = blockIdx.z; i < images.count; i += gridDim.z) {
        for (int64_t y = blockIdx.y * blockDim.y + threadIdx.y; y < images.height; y += gridDim.y * blockDim.y) {
            const uint8_t* in = images.data + i * images.image_stride + y * images.row_stride;
            uint8_t* out = gray + (i * images.height + y) * images.width;
            const int64_t begin = 16 * chunk - int64_t(uintptr_t(out) % 16);
            const uint8_t* p = in + 3 * begin;
            const unsigned shift = aligned ? 0 : uintptr_t(p) % 16;
            const int64_t begin_byte = 3 * begin - shift, end_byte = begin_byte + (shift == 0 ? 48 : 64);
            const bool inside = begin_byte >= 0 && end_byte <= 3 * images.width;
            if (inside) {
                gray_of_16_pixels(out + begin, p, shift, bgr);
                continue;
            }
            const int64_t end = min(begin + 16, images.width);
            for (int64_t x = max(begin, int64_t(0)); x < end; x += 4) {
                uint8_t grays[4];  // loads before stores, or each pixel would wait for the one before
                for (int k = 0; k < 4; k++) {
                    const uint8_t* pixel = in + 3 * (x + k);
                    if (x + k < end) grays[k] = gray_of(pixel[0], pixel[1], pixel[2], bgr);
                }
                for (int k = 0; k < 4; k++)
                    if (x + k < end) out[x + k] = grays[k];
            }
        }
    }
}

void launch_rgb_to_gray(uint8_t* gray, const Images& given, bool bgr, cudaStream_t stream) {
    Images images = given;
    if (images.count == 0 || images.height == 0 || images.width == 0) return;
    // Bytes between the end of a row and the next row, and between the end of an image and the next image.
    const int64_t row_gap = images.height == 1 ? 0 : images.row_stride - 3 * images.width;
    const int64_t image_gap = images.count == 1 ? 0 : images.image_stride - 3 * images.width * images.height;
    if (row_gap == 0) images.width *= images.height, images.height = 1;                  // one long row
    if (row_gap == 0 && image_gap == 0) images.width *= images.count, images.count = 1;  // ... of all images
    // From row to row, `out` advances by `width` bytes and `in` by 3 * width + gap. For 16 bytes of `out` a thread
    // loads 48 bytes of `in`, so the shift depends on in - 3 * out. The width cancels out, and the gap does not.
    const bool aligned =
        (uintptr_t(images.data) - 3 * uintptr_t(gray)) % 16 == 0 && row_gap % 16 == 0 && image_gap % 16 == 0;
    const auto kernel = aligned ? rgb_to_gray_kernel<true> : rgb_to_gray_kernel<false>;
    const int64_t chunks = (images.width + 15 + 15) / 16;  // a row begins up to 15 bytes after a multiple of 16
    dim3 block(1, 256);                                    // narrow rows: a block works on many of them
    while (block.x < 256 && block.x < chunks) block.x *= 2, block.y /= 2;
    kernel<<<grid_of(chunks, images, block), block, 0, stream>>>(gray, images, bgr);
    CHECK_LAUNCH();
}

// ---- volume, a thread for each voxel --------------------------------------------------------------------------------
__global__ void normalizeVolumeKernel(float* out, const uint16_t* volume, int64_t n, float maxVal) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = volume[i] / maxVal;
}

void launch_normalize_volume_naive(float* out, const uint16_t* volume, int64_t n, float maxVal, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int threads = 256;
    normalizeVolumeKernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, volume, n, maxVal);
    CHECK_LAUNCH();
}

// ---- volume, twice four voxels a thread -----------------------------------------------------------------------------
// Four voxels by one load of 8 bytes. If the volume is a view that does not begin at a multiple of 8, they take four
// loads of 2 bytes, and most of these loads find their bytes in the L1 cache.
__device__ ushort4 load_4_voxels(const uint16_t* p) {
    return uintptr_t(p) % 8 == 0 ? *reinterpret_cast<const ushort4*>(p) : make_ushort4(p[0], p[1], p[2], p[3]);
}

__device__ float4 operator/(ushort4 v, float by) { return make_float4(v.x / by, v.y / by, v.z / by, v.w / by); }

// A thread computes two aligned float4 of `out`, a block's width apart. It loads all of their voxels before it waits
// for the first, as add_kernel_unrolled does in chapter 06. At the ends of the volume a thread goes voxel by voxel.
constexpr int loads = 2;

__global__ void normalize_volume_kernel(float* out, const uint16_t* volume, int64_t n, float maxVal) {
    const int skipped = uintptr_t(out) / 4 % 4;  // count from the aligned float4 in which `out` begins
    out -= skipped, volume -= skipped, n += skipped;
    const int64_t thread = int64_t(blockIdx.x) * blockDim.x * loads + threadIdx.x;
    const auto chunk = [&](int k) { return thread + k * int(blockDim.x); };
    if (4 * chunk(0) >= skipped && 4 * chunk(loads - 1) + 4 <= n) {
        ushort4 v[loads];
        for (int k = 0; k < loads; k++) v[k] = load_4_voxels(volume + 4 * chunk(k));
        for (int k = 0; k < loads; k++) reinterpret_cast<float4*>(out)[chunk(k)] = v[k] / maxVal;
    } else {
        for (int k = 0; k < loads; k++) {
            const int64_t begin = max(4 * chunk(k), int64_t(skipped)), end = min(4 * chunk(k) + 4, n);
            for (int64_t i = begin; i < end; i++) out[i] = volume[i] / maxVal;
        }
    }
}

void launch_normalize_volume(float* out, const uint16_t* volume, int64_t n, float maxVal, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int threads = 128, voxels = threads * loads * 4;  // of a block
    const unsigned blocks = blocks_for(n + 3, voxels);  // out begins up to 3 floats after a multiple of 16 bytes
    normalize_volume_kernel<<<blocks, threads, 0, stream>>>(out, volume, n, maxVal);
    CHECK_LAUNCH();
}
