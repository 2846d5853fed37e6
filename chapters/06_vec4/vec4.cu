// vec4.cu: the sum of two arrays by five kernels, which differ in what a thread loads. No torch header in here.
#include "vec4.h"

#include <algorithm>
#include <stdexcept>

#include "device/cache_hint.h"
#include "common/cuda_check.h"
#include "common/grid.h"
#include "device/number.h"
#include "device/pack.h"
#include "common/shared_memory.h"

constexpr int threads = 256;  // of a block

// ---- one thread, one element ---------------------------------------------------------------------------------------

__global__ void add_kernel_scalar(float* c, const float* a, const float* b, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void launch_add_scalar(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    add_kernel_scalar<<<blocks_for(n, threads), threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}

// ---- fewer threads, several elements for each -----------------------------------------------------------------------

// A thread starts once for many elements. But it must store before its next load, because c may overlap a. So it waits
// for each pair of loads.
__global__ void add_kernel_grid_stride(float* c, const float* a, const float* b, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) c[i] = a[i] + b[i];
}

void launch_add_grid_stride(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    int device = 0, sms = 0, threads_of_sm = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&threads_of_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    const unsigned resident = unsigned(sms * (threads_of_sm / threads));
    add_kernel_grid_stride<<<std::min(blocks_for(n, threads), resident), threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}

// ---- several loads before the first store --------------------------------------------------------------------------

__device__ inline float4 operator+(float4 x, float4 y) {
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// A thread asks for `loads` elements of each input, and only then waits. Its elements lie blockDim.x apart, so that in
// each load a warp reads 32 neighbours. The loops have a constant length, so nvcc unrolls them and keeps x and y in
// registers. T is float, or float4, which counts as one element.
template <class T, int loads>
__global__ void add_kernel_unrolled(T* c, const T* a, const T* b, int64_t n) {
    const int64_t first = int64_t(blockIdx.x) * blockDim.x * loads + threadIdx.x;
    T x[loads] = {}, y[loads] = {};
    for (int k = 0; k < loads; k++) {
        const int64_t i = first + k * int(blockDim.x);
        if (i < n) x[k] = a[i], y[k] = b[i];
    }
    for (int k = 0; k < loads; k++) {
        const int64_t i = first + k * int(blockDim.x);
        if (i < n) c[i] = x[k] + y[k];
    }
}

// The kernel for that number of loads, which may now be launched with `reserved` bytes of dynamic shared memory.
template <class T>
static auto unrolled_kernel(int loads, int reserved) {
    const auto kernel = loads == 1   ? add_kernel_unrolled<T, 1>
                        : loads == 2 ? add_kernel_unrolled<T, 2>
                        : loads == 4 ? add_kernel_unrolled<T, 4>
                        : loads == 8 ? add_kernel_unrolled<T, 8>
                                     : throw std::invalid_argument("loads must be 1, 2, 4 or 8");
    const int most = reserved > 0 ? allow_shared_memory(kernel) : 0;
    if (reserved > most)
        throw std::runtime_error("reserved must be at most " + std::to_string(most) + " bytes on this device");
    return kernel;
}

template <class T>
static void launch_unrolled(T* c, const T* a, const T* b, int64_t n, int loads, int reserved, cudaStream_t stream) {
    const auto kernel = unrolled_kernel<T>(loads, reserved);
    if (n == 0) return;
    kernel<<<blocks_for(n, threads * loads), threads, reserved, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}

static float4* as_float4(float* p) { return reinterpret_cast<float4*>(p); }
static const float4* as_float4(const float* p) { return reinterpret_cast<const float4*>(p); }

void launch_add_unrolled(float* c, const float* a, const float* b, int64_t n, int loads, int width, int reserved,
                         cudaStream_t stream) {
    if (width == 1) return launch_unrolled(c, a, b, n, loads, reserved, stream);
    if (width == 4) return launch_unrolled(as_float4(c), as_float4(a), as_float4(b), n / 4, loads, reserved, stream);
    throw std::invalid_argument("width must be 1 or 4");
}

template <class Kernel>
static int resident_threads(Kernel kernel, int reserved) {
    int blocks = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, reserved));
    return blocks * threads;
}

int threads_per_sm(int loads, int width, int reserved) {
    if (width != 1 && width != 4) throw std::invalid_argument("width must be 1 or 4");
    return width == 1 ? resident_threads(unrolled_kernel<float>(loads, reserved), reserved)
                      : resident_threads(unrolled_kernel<float4>(loads, reserved), reserved);
}

// ---- one load of 16 bytes ------------------------------------------------------------------------------------------

// The GPU reads 16 bytes with one instruction if the address is a multiple of 16. Any other address ends in "misaligned
// address", and then the process cannot use the GPU any more.
__global__ void add_kernel_vec4(float4* c, const float4* a, const float4* b, int64_t n4) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n4) c[i] = a[i] + b[i];
}

void launch_add_vec4(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    const int64_t n4 = n / 4;
    add_kernel_vec4<<<blocks_for(n4, threads), threads, 0, stream>>>(as_float4(c), as_float4(a), as_float4(b), n4);
    CHECK_LAUNCH();
}

// ---- any address and dtype: an aligned middle, and ends one by one --------------------------------------------------

// Number<double> is double, and all others are float. So a sum in half precision is rounded once.
template <class T>
__device__ T sum(T x, T y) {
    return T(Number<T>(x) + Number<T>(y));
}

// The 16 bytes at p: 4 floats, or 8 elements of half precision. If p is not a multiple of 16 bytes, each element takes
// a load of its own. Such a load uses a part of each sector, and the next load finds the rest in the L1 cache.
template <class T>
__device__ Pack<T> load16(const T* p, bool aligned) {
    Pack<T> pack;
    if (aligned) return load_pack<Read::plain>(reinterpret_cast<const Pack<T>*>(p));
    for (int j = 0; j < Pack<T>::SIZE; j++) pack.values[j] = p[j];
    return pack;
}

// __stcs stores with a hint to the L2 cache: evict these sums first. Nobody reads them soon, so other data may stay.
template <class T>
__device__ void store16(T* p, const Pack<T>& x, const Pack<T>& y) {
    Pack<T> sums;
    for (int j = 0; j < Pack<T>::SIZE; j++) sums.values[j] = sum(x.values[j], y.values[j]);
    uint4 bytes;
    memcpy(&bytes, &sums, sizeof bytes);
    __stcs(reinterpret_cast<uint4*>(p), bytes);
}

// c + head is a multiple of 16 bytes, and head < SIZE. From there on each thread adds two packs, blockDim.x apart. The
// first block also adds the ends: fewer than SIZE elements before c + head, and fewer than SIZE after the last pack.
template <class T>
__global__ void add_kernel_aligned_middle(T* c, const T* a, const T* b, int64_t n, int64_t head, bool a_aligned,
                                          bool b_aligned) {
    constexpr int SIZE = Pack<T>::SIZE;
    const int64_t first = int64_t(blockIdx.x) * blockDim.x * 2 + threadIdx.x;
    Pack<T> x[2] = {}, y[2] = {};
    for (int k = 0; k < 2; k++) {
        const int64_t i = head + SIZE * (first + k * int(blockDim.x));
        if (i + SIZE <= n) x[k] = load16(a + i, a_aligned), y[k] = load16(b + i, b_aligned);
    }
    for (int k = 0; k < 2; k++) {
        const int64_t i = head + SIZE * (first + k * int(blockDim.x));
        if (i + SIZE <= n) store16(c + i, x[k], y[k]);
    }
    if (blockIdx.x > 0) return;
    if (first < head) c[first] = sum(a[first], b[first]);
    const int64_t tail = n - (n - head) % SIZE + first;
    if (tail < n) c[tail] = sum(a[tail], b[tail]);
}

template <class T>
void launch_add_forward(T* c, const T* a, const T* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    int64_t head = 0;
    while (head < n && !aligned(c + head)) head++;
    constexpr int fewer = 128;  // threads of a block: with 256 it is a little slower at 10 million elements
    const unsigned blocks = std::max(blocks_for(n - head, fewer * 2 * Pack<T>::SIZE), 1u);  // one adds the ends
    add_kernel_aligned_middle<<<blocks, fewer, 0, stream>>>(c, a, b, n, head, aligned(a + head), aligned(b + head));
    CHECK_LAUNCH();
}

// nvcc generates code from a template only for types that somebody asks for. vec4.cpp calls these four.
template void launch_add_forward(float*, const float*, const float*, int64_t, cudaStream_t);
template void launch_add_forward(double*, const double*, const double*, int64_t, cudaStream_t);
template void launch_add_forward(__half*, const __half*, const __half*, int64_t, cudaStream_t);
template void launch_add_forward(__nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, int64_t, cudaStream_t);
