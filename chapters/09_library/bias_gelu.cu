// bias_gelu.cu: three kernels and their launchers, for float, double and half precision. It includes no torch header.
//
// GELU: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", 2016, arXiv:1606.08415.
#include "bias_gelu.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/cache_hint.h"
#include "common/cuda_check.h"
#include "common/grid.h"

// ---- GELU and its derivative ---------------------------------------------------------------------------------------

// gelu(u) = u * P, where P = (1 + erf(u / sqrt(2))) / 2 is the probability that a standard normal variable is below u.
// P' is the normal density, exp(-u^2 / 2) / sqrt(2 pi). A GPU has an instruction for powers of 2, so the kernels
// compute exp(v) as exp2(v / log(2)).
constexpr double log_2 = 0.69314718055994530942;

struct Exact {
    template <class T>
    static __device__ T gelu(T u) {
        const T half = T(0.5) * u;
        return half + half * std::erf(u * T(0.70710678118654752440));  // + and * become one instruction
    }
    template <class T>
    static __device__ T slope(T u) {
        const T density = T(0.39894228040143267794) * std::exp2(T(-0.5 / log_2) * u * u);
        return T(0.5) + T(0.5) * std::erf(u * T(0.70710678118654752440)) + u * density;
    }
};

// gelu(u) = u * (1 + tanh(a)) / 2, where a = sqrt(2 / pi) * (u + 0.044715 * u^3). Because (1 + tanh(a)) / 2 is
// sigmoid(2 a), one exponential is enough. sigmoid' = sigmoid * (1 - sigmoid).
struct Approximate {
    template <class T>
    static __device__ T sigmoid(T u) {
        return 1 / (1 + std::exp2(T(-2 * 0.79788456080286535588 / log_2) * (u + T(0.044715) * u * u * u)));
    }
    template <class T>
    static __device__ T gelu(T u) {
        return u * sigmoid(u);
    }
    template <class T>
    static __device__ T slope(T u) {
        const T s = sigmoid(u), inner = T(2 * 0.79788456080286535588) * (1 + T(3 * 0.044715) * u * u);
        return s + u * s * (1 - s) * inner;
    }
};

// ---- V neighbours of a row, 16 bytes at a time, as in chapter 06 ----------------------------------------------------

template <class T>
constexpr int widest = 16 / sizeof(T);

// Unlike the Pack of device/pack.h, this one may have 4 doubles or 8 floats: 32 bytes, and two loads.
template <class T, int V>
struct alignas(std::min(V, widest<T>) * sizeof(T)) Pack {
    T at[V];
};

// A pack takes one load for each 16 bytes, and has to begin at a multiple of 16 bytes. anywhere: it need not, and each
// element takes a load of its own. Most of these loads find their bytes in the L1 cache.
template <int V, bool anywhere = false, class T>
__device__ Pack<T, V> load(const T* p) {
    if constexpr (!anywhere) return *reinterpret_cast<const Pack<T, V>*>(p);
    Pack<T, V> pack;
    for (int j = 0; j < V; j++) pack.at[j] = p[j];
    return pack;
}

// Loads x or grad with a hint for the cache. The hint makes an H200 faster with floats and slower with doubles.
template <int V, bool anywhere = false, class T>
__device__ Pack<T, V> load_kept(const T* p) {
    if constexpr (anywhere || V == 1 || sizeof(T) == sizeof(double)) {
        return load<V, anywhere>(p);
    } else {
        return load_pack<Read::keep>(reinterpret_cast<const Pack<T, V>*>(p));
    }
}

static __host__ __device__ bool aligned(const void* p) { return uintptr_t(p) % 16 == 0; }

// Rounds the results to T, which is the only rounding for half precision. Where arrays begin anywhere, a pack of
// results may still begin at a multiple of 16 bytes. Then it takes one store: V stores would write each sector V times.
template <int V, bool anywhere = false, class T>
__device__ void store(T* p, const Pack<Number<T>, V>& numbers) {
    Pack<T, V> pack;
    for (int j = 0; j < V; j++) pack.at[j] = T(numbers.at[j]);
    if constexpr (!anywhere) {
        *reinterpret_cast<Pack<T, V>*>(p) = pack;
    } else if (aligned(p)) {
        uint4 bytes[sizeof pack / 16];
        memcpy(bytes, &pack, sizeof pack);
        for (int k = 0; k < int(sizeof pack / 16); k++) reinterpret_cast<uint4*>(p)[k] = bytes[k];
    } else {
        for (int j = 0; j < V; j++) p[j] = pack.at[j];
    }
}

// ---- forward -------------------------------------------------------------------------------------------------------

constexpr int forward_threads = 128;  // of a block

// nvcc has to leave registers for this many blocks on a multiprocessor: 2048 threads, the most that it runs. For
// double, half as many: then nvcc computes erf() of two elements at a time, and an H200 needs 280 us instead of 306.
template <class T>
constexpr int forward_blocks = sizeof(T) == sizeof(double) ? 8 : 16;

// The biases of V neighbours. If a row has no whole number of packs, a pack may reach into the next row.
template <int V, bool anywhere, class T>
__device__ Pack<T, V> load_bias(const T* bias, int64_t column, int64_t columns) {
    if (!anywhere || column + V <= columns) return load<V, anywhere>(bias + column);
    Pack<T, V> pack;
    for (int j = 0; j < V; j++) {
        pack.at[j] = bias[column];
        if (++column == columns) column = 0;
    }
    return pack;
}

// The rows are one long array, and i % columns is the column of element i. Each thread computes a pack of V elements.
// Where arrays begin anywhere, the last pack may be shorter.
template <class T, int V, bool anywhere, class Function>
__global__ void __launch_bounds__(forward_threads, forward_blocks<T>)
    bias_gelu_kernel(T* out, const T* x, const T* bias, int64_t n, int64_t columns) {
    int64_t i = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * V;
    if (i + V <= n) {
        const Pack<T, V> a = load_kept<V, anywhere>(x + i), b = load_bias<V, anywhere>(bias, i % columns, columns);
        Pack<Number<T>, V> result;
        for (int j = 0; j < V; j++) result.at[j] = Function::gelu(Number<T>(a.at[j]) + Number<T>(b.at[j]));
        store<V, anywhere>(out + i, result);
    } else if (anywhere) {
        for (; i < n; i++) out[i] = T(Function::gelu(Number<T>(x[i]) + Number<T>(bias[i % columns])));
    }
}

template <class T>
void launch_bias_gelu(T* out, const T* x, const T* bias, int64_t rows, int64_t columns, bool tanh,
                      cudaStream_t stream) {
    constexpr int V = std::max(4, widest<T>);  // 4 doubles are two loads, with which an H200 is faster than with one
    const int64_t n = rows * columns;
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    const bool packs = columns % V == 0 && aligned(out) && aligned(x) && aligned(bias);
    const auto kernel = packs
                            ? (tanh ? bias_gelu_kernel<T, V, false, Approximate> : bias_gelu_kernel<T, V, false, Exact>)
                            : (tanh ? bias_gelu_kernel<T, V, true, Approximate> : bias_gelu_kernel<T, V, true, Exact>);
    kernel<<<blocks_for(n, forward_threads * V), forward_threads, 0, stream>>>(out, x, bias, n, columns);
    CHECK_LAUNCH();
}

// ---- backward ------------------------------------------------------------------------------------------------------

// The most threads of a block. __launch_bounds__ tells nvcc that a multiprocessor runs one block at a time. Otherwise
// double precision gets 64 registers and not 128, and an H200 needs 860 us instead of 520.
template <class T>
constexpr int threads = sizeof(T) == sizeof(double) ? 512 : 1024;

// How blocks divide the rows. A thread stays in its V columns and goes down the rows, so it loads its part of the bias
// once and keeps its own sums. A block is as wide as a row if it can be, and has as many rows of threads as fit. A
// longer row is cut into tiles of about equal width. This way the threads of a warp access neighbours in memory, even
// if a row has fewer than 32 packs.
//
// There are as many blocks as the GPU runs at a time, each with the same share of the rows. Then all blocks end
// together, and there are few partial sums. If a row has so many tiles that some multiprocessors would get no block,
// tiles are narrower: 132 tiles instead of 112, and 66 for each half of the rows instead of 50.
template <class T>
struct Layout {
    unsigned tiles, chunks;  // of a row, and of the rows
    dim3 block;

    Layout(int64_t rows, int64_t columns, int V) : tiles(blocks_for(columns / V, threads<T>)) {
        int device = 0, multiprocessors = 0;
        CHECK_CUDA(cudaGetDevice(&device));
        CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        const int64_t packs = columns / V, most = std::max<int64_t>(multiprocessors / tiles, 1);
        if (tiles > 1) tiles = unsigned(std::max<int64_t>(tiles, multiprocessors / most));
        const unsigned width = unsigned((packs + tiles - 1) / tiles);
        block = dim3(width, unsigned(std::clamp<int64_t>(rows, 1, threads<T> / width)));
        chunks = unsigned(std::clamp<int64_t>(blocks_for(rows, int(block.y)), 1, most));
        if (rows * columns <= 4 * threads<T>) chunks = 1;  // a second launch, for partial sums, would take longer
    }
};

// The sum over the threads of a column, returned to thread (x, 0). Each round adds the second half of the rows to the
// first. All threads of the block have to call it.
template <class T, int V>
__device__ Pack<T, V> sum_of_column(const Pack<T, V>& mine) {
    __shared__ Pack<T, V> sums[threads<T>];
    const int i = int(threadIdx.y * blockDim.x + threadIdx.x);
    sums[i] = mine;
    for (int count = int(blockDim.y), half; count > 1; count = half) {
        half = (count + 1) / 2;
        __syncthreads();
        if (int(threadIdx.y) + half < count)
            for (int j = 0; j < V; j++) sums[i].at[j] += sums[i + half * int(blockDim.x)].at[j];
    }
    return sums[i];
}

// Writes grad_x, and the sum of its rows in this block to partial[blockIdx.y][column], or to grad_bias[column] if no
// other block has rows. While a thread computes one row, its loads of the next one are in flight: always 16 bytes of
// each array. If packs are narrower, these are `depth` rows.
template <class T, int V, class Function>
__global__ void __launch_bounds__(threads<T>, 1)
    bias_gelu_backward_kernel(T* grad_x, T* grad_bias, Number<T>* partial, const T* grad, const T* x, const T* bias,
                              int64_t rows, int64_t columns) {
    constexpr int depth = widest<T> / V;
    const int64_t column = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * V;
    Pack<Number<T>, V> sum = {};
    if (column < columns) {  // the other threads may not return, because __syncthreads() waits for all
        const Pack<T, V> b = load<V>(bias + column);
        Pack<T, V> g[depth] = {}, u[depth] = {};
        // The next row to compute begins at element i, and the next one to load at `ahead`.
        const int64_t n = rows * columns, step = int64_t(gridDim.y) * blockDim.y * columns;
        int64_t i = (int64_t(blockIdx.y) * blockDim.y + threadIdx.y) * columns + column, ahead = i;
        const auto load_ahead = [&](int k) { g[k] = load_kept<V>(grad + ahead), u[k] = load_kept<V>(x + ahead); };
        const auto compute = [&](const Pack<T, V>& gradient, const Pack<T, V>& value) {
            Pack<Number<T>, V> result;
            for (int j = 0; j < V; j++) {
                const auto slope = Function::slope(Number<T>(value.at[j]) + Number<T>(b.at[j]));
                sum.at[j] += result.at[j] = Number<T>(gradient.at[j]) * slope;
            }
            store<V>(grad_x + i, result);
        };
        for (int k = 0; k < depth; k++, ahead += step)
            if (ahead < n) load_ahead(k);
        // As long as there are rows for all loads of a round, they need no comparison: fewer instructions an element.
        while (V == 1 && ahead + (depth - 1) * step < n) {
            for (int k = 0; k < depth; k++, i += step, ahead += step) {
                const Pack<T, V> gradient = g[k], value = u[k];
                load_ahead(k);
                compute(gradient, value);
            }
        }
        while (i < n) {
            for (int k = 0; k < depth; k++, i += step, ahead += step) {
                const Pack<T, V> gradient = g[k], value = u[k];
                if (ahead < n) load_ahead(k);
                if (i < n) compute(gradient, value);
            }
        }
    }
    sum = sum_of_column(sum);
    if (column >= columns || threadIdx.y > 0) return;
    if (gridDim.y == 1)
        store<V>(grad_bias + column, sum);
    else
        store<V>(partial + blockIdx.y * columns + column, sum);
}

// sum[c] = the sum of partial[r][c] over all r
template <class T>
__global__ void sum_rows_kernel(T* sum, const Number<T>* partial, int64_t rows, int64_t columns) {
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    Pack<Number<T>, 1> total = {};
    for (int64_t row = threadIdx.y; column < columns && row < rows; row += blockDim.y)
        total.at[0] += partial[row * columns + column];
    total = sum_of_column(total);
    if (column < columns && threadIdx.y == 0) store<1>(sum + column, total);
}

// The number of chunks may not depend on where arrays begin, because partial_rows() also uses it.
template <class T>
static unsigned backward_chunks(int64_t rows, int64_t columns) {
    return Layout<T>(rows, columns, columns % widest<T> == 0 ? widest<T> : 1).chunks;
}

template <class T>
int64_t partial_rows(int64_t rows, int64_t columns) {
    const unsigned chunks = columns == 0 ? 0 : backward_chunks<T>(rows, columns);
    return chunks > 1 ? chunks : 0;  // one chunk writes its sums to grad_bias
}

template <class T, int V>
static void launch_backward(T* grad_x, T* grad_bias, Number<T>* partial, const T* grad, const T* x, const T* bias,
                            int64_t rows, int64_t columns, bool tanh, unsigned chunks, cudaStream_t stream) {
    const Layout<T> layout(rows, columns, V);
    const auto kernel = tanh ? bias_gelu_backward_kernel<T, V, Approximate> : bias_gelu_backward_kernel<T, V, Exact>;
    kernel<<<dim3(layout.tiles, chunks), layout.block, 0, stream>>>(grad_x, grad_bias, partial, grad, x, bias, rows,
                                                                    columns);
    CHECK_LAUNCH();
}

template <class T>
void launch_bias_gelu_backward(T* grad_x, T* grad_bias, Number<T>* partial, const T* grad, const T* x, const T* bias,
                               int64_t rows, int64_t columns, bool tanh, cudaStream_t stream) {
    if (columns == 0) return;
    const unsigned chunks = backward_chunks<T>(rows, columns);
    // Each row has to begin at a multiple of 16 bytes, not only the first one.
    const bool packs = columns % widest<T> == 0 && aligned(grad_x) && aligned(grad_bias) && aligned(partial) &&
                       aligned(grad) && aligned(x) && aligned(bias);
    const auto launch = packs ? launch_backward<T, widest<T>> : launch_backward<T, 1>;
    launch(grad_x, grad_bias, partial, grad, x, bias, rows, columns, tanh, chunks, stream);
    if (chunks == 1) return;
    const dim3 block(8, 32);  // 8 floats are 32 bytes, a sector
    sum_rows_kernel<<<blocks_for(columns, 8), block, 0, stream>>>(grad_bias, partial, int64_t(chunks), columns);
    CHECK_LAUNCH();
}

// The compiler generates code from a template only for types that are requested (chapter 07).
#define FOR_TYPE(T)                                                                                                   \
    template int64_t partial_rows<T>(int64_t, int64_t);                                                               \
    template void launch_bias_gelu(T*, const T*, const T*, int64_t, int64_t, bool, cudaStream_t);                     \
    template void launch_bias_gelu_backward(T*, T*, Number<T>*, const T*, const T*, const T*, int64_t, int64_t, bool, \
                                            cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(double)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
