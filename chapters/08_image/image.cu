// image.cu: two image operators, each first as one writes it down, then as fast as the memory. No torch header in here.
#include "image.h"

#include <algorithm>

#include "common/check.h"

// ---- grey, as in the notes ------------------------------------------------------------------------------------------
// A thread for a pixel: three loads of a byte and a store of one. The conversion to an integer cuts the fraction off.
// nvcc makes fmaf() of 0.299f * R + 0.587f * G + 0.114f * B by itself; written down, a CPU gives the same bits.
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

// A grid of blocks that have a thread for each of `columns` columns; rows and images beyond 65535 blocks, the most that
// y and z may have, are what the kernels' loops are for.
static dim3 grid_of(int64_t columns, const Images& images, dim3 block) {
    constexpr int64_t most = 65535;
    return {unsigned((columns + block.x - 1) / block.x),
            unsigned(std::min((images.height + block.y - 1) / block.y, most)), unsigned(std::min(images.count, most))};
}

void launch_rgb_to_gray_naive(uint8_t* gray, const Images& images, cudaStream_t stream) {
    if (images.count == 0 || images.height == 0 || images.width == 0) return;  // CUDA refuses a grid of 0 blocks
    const dim3 block(16, 16);
    rgbToGrayKernel<<<grid_of(images.width, images, block), block, 0, stream>>>(gray, images);
    CHECK_LAUNCH();
}

// ---- grey, 16 pixels a thread ---------------------------------------------------------------------------------------
// The weights are thousandths: integers give the exact sum, and + 500 rounds to the nearest, halves up. Read as B, G,
// R, the outer two change places.
__device__ unsigned gray_of(unsigned first, unsigned second, unsigned third, bool bgr) {
    return ((bgr ? 114 : 299) * first + 587 * second + (bgr ? 299 : 114) * third + 500) / 1000;
}

// The 48 bytes at p, as the first 12 words. A GPU can load 16 bytes at once, but only from a multiple of 16. So where p
// is none, load the four such blocks that hold the 48 bytes, and shift: by two words, by one word, and by bytes.
// nvcc unrolls the loops; all indices are constants then, and an array of them lives in registers.
__device__ void load_48_bytes(unsigned (&words)[16], const uint8_t* p, unsigned shift) {
    const uint4* blocks = reinterpret_cast<const uint4*>(p - shift);
    for (int k = 0; k < 4; k++) {
        if (k == 3 && shift == 0) return;
        const uint4 block = blocks[k];
        words[4 * k] = block.x, words[4 * k + 1] = block.y, words[4 * k + 2] = block.z, words[4 * k + 3] = block.w;
    }
    for (int k = 0; k < 14; k++) words[k] = shift & 8 ? words[k + 2] : words[k];
    for (int k = 0; k < 13; k++) words[k] = shift & 4 ? words[k + 1] : words[k];
    for (int k = 0; k < 12; k++) words[k] = __funnelshift_r(words[k], words[k + 1], 8 * (shift % 4));
}

// A thread makes 16 pixels of a row, those of one aligned uint4 of `gray`: three or four loads and one store. The row
// may begin or end within that uint4, and the loads must stay in the row: then it goes pixel by pixel. aligned: the
// shift is 0 in all rows, and nvcc leaves the shifting out.
template <bool aligned>
__global__ void rgb_to_gray_kernel(uint8_t* gray, Images images, bool bgr) {
    const int64_t chunk = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int64_t i = blockIdx.z; i < images.count; i += gridDim.z) {
        for (int64_t y = blockIdx.y * blockDim.y + threadIdx.y; y < images.height; y += gridDim.y * blockDim.y) {
            const uint8_t* in = images.data + i * images.image_stride + y * images.row_stride;
            uint8_t* out = gray + (i * images.height + y) * images.width;
            const int64_t begin = 16 * chunk - int64_t(uintptr_t(out) % 16), end = begin + 16;
            const uint8_t* p = in + 3 * begin;
            const unsigned shift = aligned ? 0 : uintptr_t(p) % 16;
            const int64_t first_byte = 3 * begin - shift, last_byte = first_byte + (shift == 0 ? 48 : 64);
            if (first_byte >= 0 && last_byte <= 3 * images.width) {
                unsigned words[16], result[4] = {};
                load_48_bytes(words, p, shift);
                const auto byte = [&](int k) { return words[k / 4] >> 8 * (k % 4) & 255; };
                for (int k = 0; k < 16; k++) {
                    result[k / 4] |= gray_of(byte(3 * k), byte(3 * k + 1), byte(3 * k + 2), bgr) << 8 * (k % 4);
                }
                *reinterpret_cast<uint4*>(out + begin) = make_uint4(result[0], result[1], result[2], result[3]);
            } else {
                for (int64_t x = max(begin, int64_t(0)); x < min(end, images.width); x++) {
                    out[x] = gray_of(in[3 * x], in[3 * x + 1], in[3 * x + 2], bgr);
                }
            }
        }
    }
}

void launch_rgb_to_gray(uint8_t* gray, const Images& given, bool bgr, cudaStream_t stream) {
    Images images = given;
    if (images.count == 0 || images.height == 0 || images.width == 0) return;
    // How many bytes from a row to the next, and from an image to the next, are no pixels.
    const int64_t row_gap = images.height == 1 ? 0 : images.row_stride - 3 * images.width;
    const int64_t image_gap = images.count == 1 ? 0 : images.image_stride - 3 * images.width * images.height;
    if (row_gap == 0) images.width *= images.height, images.height = 1;                  // one long row
    if (row_gap == 0 && image_gap == 0) images.width *= images.count, images.count = 1;  // ... of all images
    // From row to row, `in` goes on by the gap more than three times what `out` does. So the gaps change the shift; the
    // width does not.
    const bool aligned =
        (uintptr_t(images.data) - 3 * uintptr_t(gray)) % 16 == 0 && row_gap % 16 == 0 && image_gap % 16 == 0;
    const auto kernel = aligned ? rgb_to_gray_kernel<true> : rgb_to_gray_kernel<false>;
    const int64_t chunks = (images.width + 15 + 15) / 16;  // a row begins up to 15 bytes behind a multiple of 16
    dim3 block(1, 256);                                    // narrow rows: a block works on many of them
    while (block.x < 256 && block.x < chunks) block.x *= 2, block.y /= 2;
    kernel<<<grid_of(chunks, images, block), block, 0, stream>>>(gray, images, bgr);
    CHECK_LAUNCH();
}

// ---- volume, as in the notes ----------------------------------------------------------------------------------------
__global__ void normalizeVolumeKernel(float* out, const uint16_t* volume, int64_t n, float maxVal) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = volume[i] / maxVal;
}

void launch_normalize_volume_naive(float* out, const uint16_t* volume, int64_t n, float maxVal, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int threads = 256;
    normalizeVolumeKernel<<<unsigned((n + threads - 1) / threads), threads, 0, stream>>>(out, volume, n, maxVal);
    CHECK_LAUNCH();
}

// ---- volume, twice four voxels a thread -----------------------------------------------------------------------------
// Four voxels in one load of 8 bytes. Where the volume is a view that begins between two multiples of 8, it is four
// loads of 2 bytes; they mostly find the other threads' bytes in the L1 cache.
__device__ ushort4 load_4_voxels(const uint16_t* p) {
    return uintptr_t(p) % 8 == 0 ? *reinterpret_cast<const ushort4*>(p) : make_ushort4(p[0], p[1], p[2], p[3]);
}

__device__ float4 operator/(ushort4 v, float by) { return make_float4(v.x / by, v.y / by, v.z / by, v.w / by); }

// A thread makes two aligned float4 of `out`, a block's width apart, and asks for all voxels before it waits for the
// first: see add_kernel_unrolled in chapter 06. Where that would leave the volume, at its ends, it goes voxel by voxel.
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
    const int64_t blocks = (n + 3 + voxels - 1) / voxels;  // out begins up to 3 floats behind a multiple of 16 bytes
    normalize_volume_kernel<<<unsigned(blocks), threads, 0, stream>>>(out, volume, n, maxVal);
    CHECK_LAUNCH();
}
