// softmax.cu: the softmax of each row, step by step from three passes over memory to one, and its gradient. No torch
// header in here.
#include "softmax.h"

#include <cmath>

#include "launch.h"
#include "prefetch.h"

constexpr int THREADS = 256;  // of a block, in the first two steps

// ---- a block reads a row three times -------------------------------------------------------------------------------

// combine() takes the warp's maximum and its sum, and returns the row's. As long as there is no sum, it gets 0; then
// all warps have the same maximum.
template <class T>
__global__ void three_passes_kernel(T* out, const T* x, int64_t n) {
    const Block block;
    out += block.first_row() * n, x += block.first_row() * n;
    float max = -FLT_MAX, sum = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) max = fmaxf(max, float(x[i]));
    max = block.combine(MaxSum{warp_max(max), 0}).max;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += expf(float(x[i]) - max);
    sum = block.combine(MaxSum{max, warp_sum(sum)}).sum;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = T(expf(float(x[i]) - max) / sum);
}

template <class T>
static void launch_three_passes(T* out, const T* x, int64_t rows, int64_t n, cudaStream_t stream) {
    three_passes_kernel<<<blocks_for(rows, 1), THREADS, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

// ---- a block keeps a row in its shared memory ----------------------------------------------------------------------

// Each thread reads and writes only elements of its own, so the row needs no barrier. An array of the thread's own
// would not do: registers cannot be indexed at run time, so the compiler has to know how many elements there are.
template <class T>
__global__ void shared_kernel(T* out, const T* x, int64_t n) {
    extern __shared__ float row[];
    const Block block;
    out += block.first_row() * n, x += block.first_row() * n;
    float max = -FLT_MAX, sum = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) max = fmaxf(max, row[i] = float(x[i]));
    max = block.combine(MaxSum{warp_max(max), 0}).max;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += row[i] = expf(row[i] - max);
    sum = block.combine(MaxSum{max, warp_sum(sum)}).sum;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = T(row[i] / sum);
}

template <class T>
static void launch_shared(T* out, const T* x, int64_t rows, int64_t n, cudaStream_t stream) {
    constexpr int64_t parts = 32 * sizeof(MaxSum);  // bytes that combine() has in shared memory
    int device = 0, most = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const int64_t bytes = n * int64_t(sizeof(float));
    if (bytes > most - parts)
        throw std::runtime_error("step shared keeps " + std::to_string((most - parts) / 4) +
                                 " elements in a block's shared memory, and the row has " + std::to_string(n));
    // More than 48 KiB must be asked for.
    CHECK_CUDA(cudaFuncSetAttribute(shared_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
    shared_kernel<T><<<blocks_for(rows, 1), THREADS, bytes, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

// ---- online: the maximum and the sum in one pass -------------------------------------------------------------------

// A block reads a row twice: of any length, and on any GPU. (`rows` is there because softmax_kernel has it, and
// launch_softmax takes one of the two.)
template <class T, int size>
__global__ void __launch_bounds__(MOST_THREADS) online_kernel(T* out, const T* x, int64_t /*rows*/, int64_t n) {
    const Block block;
    constexpr int elements = 16;  // that a thread takes at a time
    const int step = block.size() * elements;
    out += block.first_row() * n, x += block.first_row() * n;
    float values[elements], max = -FLT_MAX, sum = 0;
    for (int64_t i = 0; i < n; i += step) {
        load<size>(values, x + i, int(min(n - i, int64_t(step))), block, -INFINITY);
        const float before = max;
        for (float value : values) max = fmaxf(max, value);
        sum *= expf(before - max);  // a larger maximum makes the sum so far smaller
        for (float value : values) sum += expf(value - max);
    }
    const float of_warp = warp_max(max);
    const MaxSum row = block.combine(MaxSum{of_warp, warp_sum(sum * expf(max - of_warp))});
    for (int64_t i = 0; i < n; i += step) {
        load<size>(values, x + i, int(min(n - i, int64_t(step))), block, 0);
        for (float& value : values) value = expf(value - row.max) / row.sum;
        store<size>(out + i, values, int(min(n - i, int64_t(step))), block);
    }
}

// ---- a warp, a block or a cluster keeps a row in its registers -----------------------------------------------------

// exp(x) for x <= 0. In half precision, __expf is enough: its error, a few units in the last place of float32, vanishes
// when the result is rounded, and it takes fewer instructions.
template <class T>
__device__ float power(float x) {
    return sizeof(T) == 4 ? expf(x) : __expf(x);
}

template <class T, class Group, class Rows>
__global__ void __launch_bounds__(MOST_THREADS) softmax_kernel(T* out, const T* x, int64_t rows, int64_t n) {
    const Group group;
    const Rows x_rows(x, rows, n, group);
    for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
        float values[Rows::ELEMENTS], max = -FLT_MAX, sum = 0;
        const Row row = x_rows.load(values, first, group, -INFINITY);
        UNROLL for (float value : values) max = fmaxf(max, value);
        max = warp_max(max, group.lanes());
        UNROLL for (float& value : values) value = power<T>(value - max), sum += value;
        const MaxSum all = group.combine(MaxSum{max, warp_sum(sum, group.lanes())});
        const float scale = expf(max - all.max) / all.sum;  // from this warp's maximum to the row's
        UNROLL for (float& value : values) value *= scale;
        store<Rows::SIZE>(out + row.begin, values, row.n, group);
    }
}

template <class T>
void launch_softmax(T* out, const T* x, int64_t rows, int64_t n, Step step, cudaStream_t stream) {
    if (rows == 0 || n == 0) return;  // CUDA refuses a grid of 0 blocks
    if (step == Step::three_passes) return launch_three_passes(out, x, rows, n, stream);
    if (step == Step::shared) return launch_shared(out, x, rows, n, stream);
    constexpr int size = Pack<T>::SIZE;
    using Single = LoadedRows<T, 1, ELEMENTS>;
    using Packs = LoadedRows<T, size, 4 * size>;  // 64 bytes
    using Long = PrefetchedRows<T, LONG_ELEMENTS>;
    static const Kernel<T*, const T*, int64_t, int64_t> kernels[] = {
        {Step::warp, softmax_kernel<T, Warp, Packs>, true, 4 * size, 32},
        {Step::warp, softmax_kernel<T, Warp, Single>, false, ELEMENTS, 32},
        {Step::block, softmax_kernel<T, Block, Packs>, true, 4 * size, GOOD_THREADS},
        {Step::block, softmax_kernel<T, Block, Long>, true, LONG_ELEMENTS, MOST_THREADS, sizeof(T)},
        {Step::cluster, softmax_kernel<T, Cluster, Long>, true, LONG_ELEMENTS, MOST_THREADS, sizeof(T)},
        {Step::online, online_kernel<T, size>, true, ELEMENTS, GOOD_THREADS},
        {Step::online, online_kernel<T, 1>, false, ELEMENTS, GOOD_THREADS},
    };
    const bool whole = n % size == 0 && aligned(out) && aligned(x);
    const auto& kernel = choose(kernels, step, n, whole);
    Launch(kernel, rows, n, kernel.bytes > 0)(stream, out, x, rows, n);
}

// ---- backward ------------------------------------------------------------------------------------------------------

template <class T, class Group, class Rows>
__global__ void __launch_bounds__(GOOD_THREADS)
    softmax_backward_kernel(T* grad_x, const T* grad, const T* y, int64_t rows, int64_t n) {
    const Group group;
    const Rows grad_rows(grad, rows, n, group, 0), y_rows(y, rows, n, group, 1);
    for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
        float g[Rows::ELEMENTS], values[Rows::ELEMENTS], sum = 0;
        const Row row = grad_rows.load(g, first, group, 0);
        y_rows.load(values, first, group, 0);
        UNROLL for (int i = 0; i < Rows::ELEMENTS; i++) sum += g[i] * values[i];
        sum = group.combine(float2{warp_sum(sum, group.lanes()), 0}).x;
        UNROLL for (int i = 0; i < Rows::ELEMENTS; i++) g[i] = values[i] * (g[i] - sum);
        store<Rows::SIZE>(grad_x + row.begin, g, row.n, group);
    }
}

// A row of any length, read twice.
template <class T, int size>
__global__ void __launch_bounds__(GOOD_THREADS)
    softmax_backward_twice_kernel(T* grad_x, const T* grad, const T* y, int64_t /*rows*/, int64_t n) {
    const Block block;
    const int step = block.size() * ELEMENTS;
    grad_x += block.first_row() * n, grad += block.first_row() * n, y += block.first_row() * n;
    float g[ELEMENTS], values[ELEMENTS], sum = 0;
    for (int64_t i = 0; i < n; i += step) {
        load<size>(g, grad + i, int(min(n - i, int64_t(step))), block, 0);
        load<size>(values, y + i, int(min(n - i, int64_t(step))), block, 0);
        for (int k = 0; k < ELEMENTS; k++) sum += g[k] * values[k];
    }
    sum = block.combine(float2{warp_sum(sum), 0}).x;
    for (int64_t i = 0; i < n; i += step) {
        load<size>(g, grad + i, int(min(n - i, int64_t(step))), block, 0);
        load<size>(values, y + i, int(min(n - i, int64_t(step))), block, 0);
        for (int k = 0; k < ELEMENTS; k++) g[k] = values[k] * (g[k] - sum);
        store<size>(grad_x + i, g, int(min(n - i, int64_t(step))), block);
    }
}

template <class T>
void launch_softmax_backward(T* grad_x, const T* grad, const T* y, int64_t rows, int64_t n, Step step,
                             cudaStream_t stream) {
    if (rows == 0 || n == 0) return;
    constexpr int size = Pack<T>::SIZE;
    using Single = LoadedRows<T, 1, ELEMENTS>;
    using Packs = LoadedRows<T, size, ELEMENTS>;
    using Long = PrefetchedRows<T, LONG_ELEMENTS, 2>;
    static const Kernel<T*, const T*, const T*, int64_t, int64_t> kernels[] = {
        {Step::warp, softmax_backward_kernel<T, Warp, Packs>, true, ELEMENTS, 32},
        {Step::warp, softmax_backward_kernel<T, Warp, Single>, false, ELEMENTS, 32},
        {Step::block, softmax_backward_kernel<T, Block, Packs>, true, ELEMENTS, GOOD_THREADS},
        {Step::cluster, softmax_backward_kernel<T, Cluster, Long>, true, LONG_ELEMENTS, GOOD_THREADS, 2 * sizeof(T)},
        {Step::online, softmax_backward_twice_kernel<T, size>, true, ELEMENTS, GOOD_THREADS},
        {Step::online, softmax_backward_twice_kernel<T, 1>, false, ELEMENTS, GOOD_THREADS},
    };
    const bool whole = n % size == 0 && aligned(grad_x) && aligned(grad) && aligned(y);
    const auto& kernel = choose(kernels, step, n, whole);
    Launch(kernel, rows, n, kernel.bytes > 0)(stream, grad_x, grad, y, rows, n);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                   \
    template void launch_softmax(T*, const T*, int64_t, int64_t, Step, cudaStream_t); \
    template void launch_softmax_backward(T*, const T*, const T*, int64_t, int64_t, Step, cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
