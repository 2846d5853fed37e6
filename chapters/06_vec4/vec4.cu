// vec4.cu: the sum of two arrays in five kernels, each one idea away from another. No torch header in here.
#include "vec4.h"

#include <algorithm>
#include <stdexcept>

#include "common/check.h"

constexpr int threads = 256;  // of a block

// The blocks that it takes to give each of so many pieces a thread; 2^31 - 1 of them would be for more than any GPU's
// memory.
static unsigned blocks_for(int64_t pieces) { return unsigned((pieces + threads - 1) / threads); }

// ---- one thread, one element ---------------------------------------------------------------------------------------

__global__ void add_kernel_scalar(float* c, const float* a, const float* b, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void launch_add_scalar(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    add_kernel_scalar<<<blocks_for(n), threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}

// ---- fewer threads, which go on ------------------------------------------------------------------------------------

// Starting a thread is paid once for many elements. But a store comes before the next load (c might be a), so a thread
// still waits for each pair.
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
    add_kernel_grid_stride<<<std::min(blocks_for(n), resident), threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}

// ---- several loads before the first store --------------------------------------------------------------------------

__device__ inline float4 operator+(float4 x, float4 y) {
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// A thread asks for `loads` elements of each input, and only then waits. They are blockDim.x apart: in every one of its
// loads, a warp reads 32 neighbours. The loops have a constant length, so nvcc unrolls them and keeps x and y in
// registers. T: float, or float4, which is one element here.
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

template <class T>
static auto unrolled_kernel(int loads) {
    if (loads == 1) return add_kernel_unrolled<T, 1>;
    if (loads == 2) return add_kernel_unrolled<T, 2>;
    if (loads == 4) return add_kernel_unrolled<T, 4>;
    if (loads == 8) return add_kernel_unrolled<T, 8>;
    throw std::invalid_argument("loads must be 1, 2, 4 or 8");
}

static float4* as_float4(float* p) { return reinterpret_cast<float4*>(p); }
static const float4* as_float4(const float* p) { return reinterpret_cast<const float4*>(p); }

void launch_add_unrolled(float* c, const float* a, const float* b, int64_t n, int loads, int width,
                         cudaStream_t stream) {
    if (width != 1 && width != 4) throw std::invalid_argument("width must be 1 or 4");
    const auto kernel = unrolled_kernel<float>(loads);
    const auto kernel4 = unrolled_kernel<float4>(loads);
    if (n == 0) return;
    const unsigned blocks = blocks_for((n / width + loads - 1) / loads);
    if (width == 1) {
        kernel<<<blocks, threads, 0, stream>>>(c, a, b, n);
    } else {
        kernel4<<<blocks, threads, 0, stream>>>(as_float4(c), as_float4(a), as_float4(b), n / 4);
    }
    CHECK_LAUNCH();
}

int threads_per_sm(int loads, int width) {
    int blocks = 0;
    CHECK_CUDA(
        width == 1
            ? cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, unrolled_kernel<float>(loads), threads, 0)
            : cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, unrolled_kernel<float4>(loads), threads, 0));
    return blocks * threads;
}

// ---- one load of 16 bytes ------------------------------------------------------------------------------------------

// The GPU reads 16 bytes in one instruction, from addresses that are multiples of 16. Any other ends in "misaligned
// address", after which the process cannot use the GPU any more.
__global__ void add_kernel_vec4(float4* c, const float4* a, const float4* b, int64_t n4) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n4) c[i] = a[i] + b[i];
}

void launch_add_vec4(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    const int64_t n4 = n / 4;
    add_kernel_vec4<<<blocks_for(n4), threads, 0, stream>>>(as_float4(c), as_float4(a), as_float4(b), n4);
    CHECK_LAUNCH();
}

// ---- an aligned middle, and scalar ends ----------------------------------------------------------------------------

// c + head, a + head and b + head are multiples of 16 bytes, and head < 4. What lies in front of them, and what is left
// behind the last four, is at most three elements each: the first threads of the grid add those, too.
__global__ void add_kernel_aligned_middle(float* c, const float* a, const float* b, int64_t n, int64_t head) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t n4 = (n - head) / 4;
    if (i < n4) {
        const float4 x = reinterpret_cast<const float4*>(a + head)[i];
        const float4 y = reinterpret_cast<const float4*>(b + head)[i];
        reinterpret_cast<float4*>(c + head)[i] = x + y;
    }
    if (i < head) c[i] = a[i] + b[i];
    const int64_t tail = head + 4 * n4 + i;
    if (tail < n) c[tail] = a[tail] + b[tail];
}

static int64_t bytes_beyond_16(const float* p) { return int64_t(reinterpret_cast<uintptr_t>(p) % 16); }

void launch_add_forward(float* c, const float* a, const float* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    const int64_t beyond = bytes_beyond_16(c);
    if (bytes_beyond_16(a) != beyond || bytes_beyond_16(b) != beyond) {
        // There is no `head` that suits all three. Floats are always aligned, and 8 loads keep as much in flight.
        return launch_add_unrolled(c, a, b, n, 8, 1, stream);
    }
    const int64_t head = std::min<int64_t>((16 - beyond) % 16 / int64_t(sizeof(float)), n);
    const unsigned blocks = blocks_for(std::max<int64_t>((n - head) / 4, 1));  // one block at least, for the ends
    add_kernel_aligned_middle<<<blocks, threads, 0, stream>>>(c, a, b, n, head);
    CHECK_LAUNCH();
}
