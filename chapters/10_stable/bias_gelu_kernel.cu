// bias_gelu_kernel.cu: three kernels and their launchers, those of chapter 09. No torch header in here.
//
// GELU: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", 2016, arXiv:1606.08415.
#include "bias_gelu.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "common/check.h"
#include "common/grid.h"

constexpr int threads = 256;        // of a block, at most
constexpr int resident_blocks = 4;  // that a multiprocessor runs at a time, at least; see __launch_bounds__ below

// ---- GELU and its derivative ---------------------------------------------------------------------------------------

// gelu(u) = u * P, where P = (1 + erf(u / sqrt(2))) / 2 is the probability that a standard normal variable is below u.
// P' is the normal density.
struct Exact {
    template <class T>
    static __device__ T gelu(T u) {
        return T(0.5) * u * (1 + std::erf(u * T(0.70710678118654752440)));
    }
    template <class T>
    static __device__ T slope(T u) {
        const T density = T(0.39894228040143267794) * std::exp(T(-0.5) * u * u);  // 1 / sqrt(2 pi)
        return T(0.5) * (1 + std::erf(u * T(0.70710678118654752440))) + u * density;
    }
};

// gelu(u) = u * (1 + t) / 2, where t = tanh(sqrt(2 / pi) * (u + 0.044715 * u^3)).
struct Approximate {
    template <class T>
    static __device__ T tanh_of(T u) {
        return std::tanh(T(0.79788456080286535588) * (u + T(0.044715) * u * u * u));
    }
    template <class T>
    static __device__ T gelu(T u) {
        return T(0.5) * u * (1 + tanh_of(u));
    }
    template <class T>
    static __device__ T slope(T u) {
        const T t = tanh_of(u), inner = T(0.79788456080286535588) * (1 + T(3 * 0.044715) * u * u);
        return T(0.5) * (1 + t) + T(0.5) * u * (1 - t * t) * inner;
    }
};

// ---- V neighbours of a row in one load, as in chapter 06 ------------------------------------------------------------

template <class T, int V>
struct alignas(V * sizeof(T)) Pack {
    T at[V];
};

template <int V, class T>
__device__ Pack<T, V> load(const T* p) {
    return *reinterpret_cast<const Pack<T, V>*>(p);
}

template <int V, class T>
__device__ void store(T* p, const Pack<T, V>& values) {
    *reinterpret_cast<Pack<T, V>*>(p) = values;
}

// A thread asks for 64 bytes, and only then waits: for 4 packs of 16 bytes of one array, or 2 of each of two arrays.
// With 4 blocks of 256 threads, 64 KiB are in flight on each multiprocessor.
template <class T, int V, int arrays>
constexpr int loads = 64 / (arrays * V * sizeof(T));

template <class T>
constexpr int widest = 16 / sizeof(T);

// Every row has to begin at a multiple of 16 bytes, not only the first one.
template <class T>
static bool wide(int64_t columns, std::initializer_list<const T*> pointers) {
    return columns % widest<T> == 0 &&
           std::all_of(pointers.begin(), pointers.end(), [](const T* p) { return uintptr_t(p) % 16 == 0; });
}

// How a block lies on the rows. A thread stays in its V columns and goes down the rows, so it loads its part of the
// bias once. A block is as wide as a row if it can be, and has as many rows of threads as fit; a longer row is cut into
// tiles of about one width. So the threads of a warp touch neighbours in memory, even where a row has fewer than 32
// packs.
struct Layout {
    unsigned tiles;
    dim3 block;

    Layout(int64_t columns, int V) : tiles(blocks_for(columns / V, threads)) {
        const unsigned width = unsigned((columns / V + tiles - 1) / tiles);
        block = dim3(width, threads / width);
    }
    // Blocks of one tile, where a thread has `loads` rows.
    int64_t chunks(int64_t rows, int loads) const { return blocks_for(rows, int(block.y) * loads); }
};

// ---- forward -------------------------------------------------------------------------------------------------------

template <class T, int V, class Function>
__global__ void __launch_bounds__(threads, resident_blocks)
    bias_gelu_kernel(T* out, const T* x, const T* bias, int64_t rows, int64_t columns) {
    constexpr int L = loads<T, V, 1>;
    const int64_t column = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * V;
    if (column >= columns) return;
    const Pack<T, V> b = load<V>(bias + column);
    const int height = int(blockDim.y);
    for (int64_t row = int64_t(blockIdx.y) * height * L + threadIdx.y; row < rows;
         row += int64_t(gridDim.y) * height * L) {
        Pack<T, V> u[L] = {};
        for (int k = 0; k < L; k++)
            if (row + k * height < rows) u[k] = load<V>(x + (row + k * height) * columns + column);
        for (int k = 0; k < L; k++) {
            for (int j = 0; j < V; j++) u[k].at[j] = Function::gelu(u[k].at[j] + b.at[j]);
            if (row + k * height < rows) store(out + (row + k * height) * columns + column, u[k]);
        }
    }
}

template <class T, int V>
static void launch_forward(T* out, const T* x, const T* bias, int64_t rows, int64_t columns, bool tanh,
                           cudaStream_t stream) {
    const Layout layout(columns, V);
    // CUDA allows a grid 65535 blocks in y. The kernel's loop goes on beyond them.
    const unsigned chunks = unsigned(std::min<int64_t>(layout.chunks(rows, loads<T, V, 1>), 65535));
    const auto kernel = tanh ? bias_gelu_kernel<T, V, Approximate> : bias_gelu_kernel<T, V, Exact>;
    kernel<<<dim3(layout.tiles, chunks), layout.block, 0, stream>>>(out, x, bias, rows, columns);
    CHECK_LAUNCH();
}

template <class T>
void launch_bias_gelu(T* out, const T* x, const T* bias, int64_t rows, int64_t columns, bool tanh,
                      cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;  // CUDA refuses a grid of 0 blocks
    const auto launch = wide<T>(columns, {out, x, bias}) ? launch_forward<T, widest<T>> : launch_forward<T, 1>;
    launch(out, x, bias, rows, columns, tanh, stream);
}

// ---- backward ------------------------------------------------------------------------------------------------------

// The sum over the threads of a column, in thread (x, 0): each round adds the lower half of the rows to the upper one.
// All threads of the block have to call it.
template <class T, int V>
__device__ Pack<T, V> sum_of_column(const Pack<T, V>& mine) {
    __shared__ Pack<T, V> sums[threads];
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

// grad_x, and the sum of its rows that this block has: sums[blockIdx.y][column].
template <class T, int V, class Function>
__global__ void __launch_bounds__(threads, resident_blocks)
    bias_gelu_backward_kernel(T* grad_x, T* sums, const T* grad, const T* x, const T* bias, int64_t rows,
                              int64_t columns) {
    constexpr int L = loads<T, V, 2>;
    const int64_t column = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * V;
    const bool inside = column < columns;  // a thread that is not may not return: __syncthreads() waits for all
    const Pack<T, V> b = inside ? load<V>(bias + column) : Pack<T, V>{};
    Pack<T, V> sum = {};
    const int height = int(blockDim.y);
    for (int64_t row = int64_t(blockIdx.y) * height * L + threadIdx.y; inside && row < rows;
         row += int64_t(gridDim.y) * height * L) {
        Pack<T, V> g[L] = {}, u[L] = {};
        for (int k = 0; k < L; k++) {
            if (row + k * height >= rows) continue;
            g[k] = load<V>(grad + (row + k * height) * columns + column);
            u[k] = load<V>(x + (row + k * height) * columns + column);
        }
        for (int k = 0; k < L; k++) {
            if (row + k * height >= rows) continue;
            for (int j = 0; j < V; j++) sum.at[j] += g[k].at[j] *= Function::slope(u[k].at[j] + b.at[j]);
            store(grad_x + (row + k * height) * columns + column, g[k]);
        }
    }
    sum = sum_of_column(sum);
    if (inside && threadIdx.y == 0) store(sums + blockIdx.y * columns + column, sum);
}

// sum[c] = the sum of partial[r][c] over all r
template <class T>
__global__ void sum_rows_kernel(T* sum, const T* partial, int64_t rows, int64_t columns) {
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    Pack<T, 1> total = {};
    for (int64_t row = threadIdx.y; column < columns && row < rows; row += blockDim.y)
        total.at[0] += partial[row * columns + column];
    total = sum_of_column(total);
    if (column < columns && threadIdx.y == 0) sum[column] = total.at[0];
}

// As many blocks as the GPU runs at a time, each with the same share of the rows: then all end together, and there are
// few partial sums. It depends on `columns`, not on where arrays begin, as partial_rows() has to know it, too.
template <class T>
static unsigned backward_chunks(int64_t rows, int64_t columns) {
    const bool is_wide = columns % widest<T> == 0;
    const Layout layout(columns, is_wide ? widest<T> : 1);
    const int64_t most = layout.chunks(rows, is_wide ? loads<T, widest<T>, 2> : loads<T, 1, 2>);
    int device = 0, multiprocessors = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const int64_t at_a_time = multiprocessors * resident_blocks / layout.tiles;
    return unsigned(std::max<int64_t>(1, std::min(at_a_time, most)));
}

template <class T>
int64_t partial_rows(int64_t rows, int64_t columns) {
    const unsigned chunks = columns == 0 ? 0 : backward_chunks<T>(rows, columns);
    return chunks > 1 ? chunks : 0;  // the sums of one chunk are grad_bias itself
}

template <class T, int V>
static void launch_backward(T* grad_x, T* sums, const T* grad, const T* x, const T* bias, int64_t rows, int64_t columns,
                            bool tanh, unsigned chunks, cudaStream_t stream) {
    const Layout layout(columns, V);
    const auto kernel = tanh ? bias_gelu_backward_kernel<T, V, Approximate> : bias_gelu_backward_kernel<T, V, Exact>;
    kernel<<<dim3(layout.tiles, chunks), layout.block, 0, stream>>>(grad_x, sums, grad, x, bias, rows, columns);
    CHECK_LAUNCH();
}

template <class T>
void launch_bias_gelu_backward(T* grad_x, T* grad_bias, T* partial, const T* grad, const T* x, const T* bias,
                               int64_t rows, int64_t columns, bool tanh, cudaStream_t stream) {
    if (columns == 0) return;
    const unsigned chunks = backward_chunks<T>(rows, columns);
    T* sums = chunks > 1 ? partial : grad_bias;
    const bool is_wide = wide<T>(columns, {grad_x, sums, grad, x, bias});
    const auto launch = is_wide ? launch_backward<T, widest<T>> : launch_backward<T, 1>;
    launch(grad_x, sums, grad, x, bias, rows, columns, tanh, chunks, stream);
    if (chunks == 1) return;
    const dim3 block(8, threads / 8);  // 8 floats are 32 bytes, the least that memory is read in
    sum_rows_kernel<<<blocks_for(columns, 8), block, 0, stream>>>(grad_bias, partial, int64_t(chunks), columns);
    CHECK_LAUNCH();
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                                           \
    template int64_t partial_rows<T>(int64_t, int64_t);                                                       \
    template void launch_bias_gelu(T*, const T*, const T*, int64_t, int64_t, bool, cudaStream_t);             \
    template void launch_bias_gelu_backward(T*, T*, T*, const T*, const T*, const T*, int64_t, int64_t, bool, \
                                            cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(double)
