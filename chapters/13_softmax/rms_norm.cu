// rms_norm.cu: RMS norm of each row, and its gradients. No torch header in here.
//
// RMS norm: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", 2019, arXiv:1910.07467.
#include "rms_norm.h"

#include <cmath>
#include <type_traits>

#include "launch.h"
#include "prefetch.h"

// ---- the weight ----------------------------------------------------------------------------------------------------

// The weight is the same for all rows. A thread keeps its elements of it in registers.
template <class T, class Rows>
struct Weight {
    float values[Rows::ELEMENTS];

    template <class Group>
    __device__ Weight(const T* weight, int64_t n, const Group& group) {
        load<Rows::SIZE>(values, weight, int(n), group, 0);
    }

    __device__ float operator[](int i) const { return values[i]; }
};

// Where rows are prefetched, the registers are needed for these. A thread keeps its elements of the weight in shared
// memory, in a buffer behind those of the rows.
template <class T, int elements, int arrays>
struct Weight<T, PrefetchedRows<T, elements, arrays>> {
    template <class Group>
    __device__ Weight(const T* weight, int64_t n, const Group& group) {
        Buffer<T, elements>(arrays).fetch(weight, int(n), group);
    }

    __device__ float operator[](int i) const {
        constexpr int size = Pack<T>::SIZE;
        return float(Buffer<T, elements>(arrays).pack(i / size).values[i % size]);
    }
};

// ---- forward -------------------------------------------------------------------------------------------------------

// Of a block, for long rows: the weight and the next row take 128 KiB of its shared memory.
template <class T>
constexpr int LONG_THREADS = sizeof(T) == 4 ? 512 : 1024;

template <class T, class Group, class Rows>
__global__ void __launch_bounds__(Rows::ELEMENTS == LONG_ELEMENTS ? LONG_THREADS<T> : MOST_THREADS)
    rms_norm_kernel(T* out, const T* x, const T* weight, int64_t rows, int64_t n, float eps) {
    const Group group;
    const Weight<T, Rows> w(weight, n, group);  // arrives while the group combines its sums
    const Rows x_rows(x, rows, n, group);
    for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
        float values[Rows::ELEMENTS], squares = 0;
        const Row row = x_rows.load(values, first, group, 0);
        UNROLL for (float value : values) squares += value * value;
        squares = group.combine(float2{warp_sum(squares, group.lanes()), 0}).x;
        const float scale = 1 / sqrtf(squares / float(n) + eps);
        UNROLL for (int i = 0; i < Rows::ELEMENTS; i++) { values[i] *= scale * w[i]; }
        store<Rows::SIZE>(out + row.begin, values, row.n, group);
    }
}

// A row of any length, read twice.
template <class T, int size>
__global__ void __launch_bounds__(GOOD_THREADS)
    rms_norm_twice_kernel(T* out, const T* x, const T* weight, int64_t /*rows*/, int64_t n, float eps) {
    const Block block;
    const int step = block.size() * ELEMENTS;
    out += block.first_row() * n, x += block.first_row() * n;
    float values[ELEMENTS], w[ELEMENTS], squares = 0;
    for (int64_t i = 0; i < n; i += step) {
        const int left = int(min(n - i, int64_t(step)));
        load<size>(values, x + i, left, block, 0);
        for (float value : values) squares += value * value;
    }
    squares = block.combine(float2{warp_sum(squares), 0}).x;
    const float scale = 1 / sqrtf(squares / float(n) + eps);
    for (int64_t i = 0; i < n; i += step) {
        const int left = int(min(n - i, int64_t(step)));
        load<size>(values, x + i, left, block, 0);
        load<size>(w, weight + i, left, block, 0);
        for (int k = 0; k < ELEMENTS; k++) values[k] *= scale * w[k];
        store<size>(out + i, values, left, block);
    }
}

template <class T>
void launch_rms_norm(T* out, const T* x, const T* weight, int64_t rows, int64_t n, float eps, Step step,
                     cudaStream_t stream) {
    if (rows == 0 || n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int size = Pack<T>::SIZE;
    using Single = LoadedRows<T, 1, ELEMENTS>;
    using Packs = LoadedRows<T, size, ELEMENTS>;
    using Long = PrefetchedRows<T, LONG_ELEMENTS>;
    constexpr bool half = sizeof(T) == 2;  // blocks prefetch short rows, too
    using OfBlock = std::conditional_t<half, PrefetchedRows<T, ELEMENTS>, Packs>;
    constexpr size_t bytes = 2 * sizeof(T);  // of an element of the next row, and of the weight's
    static const Kernel<T*, const T*, const T*, int64_t, int64_t, float> kernels[] = {
        {Step::warp, rms_norm_kernel<T, Warp, Packs>, true, ELEMENTS, 32},
        {Step::warp, rms_norm_kernel<T, Warp, Single>, false, ELEMENTS, 32},
        {Step::block, rms_norm_kernel<T, Block, OfBlock>, true, ELEMENTS, GOOD_THREADS, half ? bytes : 0},
        {Step::block, rms_norm_kernel<T, Block, Long>, true, LONG_ELEMENTS, LONG_THREADS<T>, bytes},
        {Step::cluster, rms_norm_kernel<T, Cluster, Long>, true, LONG_ELEMENTS, LONG_THREADS<T>, bytes},
        {Step::online, rms_norm_twice_kernel<T, size>, true, ELEMENTS, GOOD_THREADS},
        {Step::online, rms_norm_twice_kernel<T, 1>, false, ELEMENTS, GOOD_THREADS},
    };
    const bool whole = n % size == 0 && aligned(out) && aligned(x) && aligned(weight);
    const auto& kernel = choose(kernels, step, n, whole);
    Launch(kernel, rows, n, kernel.bytes > 0)(stream, out, x, weight, rows, n, eps);
}

// ---- backward ------------------------------------------------------------------------------------------------------

// The gradient of weight is a sum over all rows. So a group goes from row to row, and each thread adds up what its
// columns get. In the end a group writes its sums, one row of `partial`, and a second kernel adds these rows up.
template <class T, class Group, class Rows>
__global__ void __launch_bounds__(GOOD_THREADS)
    rms_norm_backward_kernel(T* grad_x, float* partial, const T* grad, const T* x, const T* weight, int64_t rows,
                             int64_t n, float eps) {
    constexpr int elements = Rows::ELEMENTS;
    const Group group;
    const Weight<T, Rows> w(weight, n, group);
    const Rows grad_rows(grad, rows, n, group, 0), x_rows(x, rows, n, group, 1);
    float sums[elements] = {};
    for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
        float g[elements], values[elements];
        const Row row = grad_rows.load(g, first, group, 0);
        x_rows.load(values, first, group, 0);
        float2 mine = {0, 0};  // the sums of x * x and of grad * weight * x
        UNROLL for (int i = 0; i < elements; i++) {
            mine.x += values[i] * values[i], mine.y += g[i] * w[i] * values[i];
        }
        const float2 all = group.combine(float2{warp_sum(mine.x, group.lanes()), warp_sum(mine.y, group.lanes())});
        if (row.n == 0) continue;  // no row: its scale would be infinite where eps is 0
        const float scale = 1 / sqrtf(all.x / float(n) + eps), shift = scale * scale * (all.y / float(n));
        UNROLL for (int i = 0; i < elements; i++) {
            sums[i] += g[i] * values[i] * scale;
            g[i] = scale * (g[i] * w[i] - values[i] * shift);
        }
        store<Rows::SIZE>(grad_x + row.begin, g, row.n, group);
    }
    const int64_t number = group.first_row() + threadIdx.y;  // of this group
    store<Rows::SIZE>(partial + number * n, sums, int(n), group);
}

// A row of any length, read twice. Sums of so many columns do not fit into registers: they are added in memory.
template <class T, int size>
__global__ void __launch_bounds__(GOOD_THREADS)
    rms_norm_backward_twice_kernel(T* grad_x, float* partial, const T* grad, const T* x, const T* weight, int64_t rows,
                                   int64_t n, float eps) {
    constexpr int elements = 8;  // of each of four arrays at a time
    const Block block;
    const int step = block.size() * elements;
    float g[elements], values[elements], w[elements], sums[elements];
    partial += block.first_row() * n;
    for (int64_t row = block.first_row(); row < rows; row += block.rows_at_a_time()) {
        float2 mine = {0, 0};
        for (int64_t i = 0; i < n; i += step) {
            const int left = int(min(n - i, int64_t(step)));
            load<size>(g, grad + row * n + i, left, block, 0);
            load<size>(values, x + row * n + i, left, block, 0);
            load<size>(w, weight + i, left, block, 0);
            for (int k = 0; k < elements; k++) mine.x += values[k] * values[k], mine.y += g[k] * w[k] * values[k];
        }
        const float2 all = block.combine(float2{warp_sum(mine.x), warp_sum(mine.y)});
        const float scale = 1 / sqrtf(all.x / float(n) + eps), shift = scale * scale * (all.y / float(n));
        for (int64_t i = 0; i < n; i += step) {
            const int left = int(min(n - i, int64_t(step)));
            load<size>(g, grad + row * n + i, left, block, 0);
            load<size>(values, x + row * n + i, left, block, 0);
            load<size>(w, weight + i, left, block, 0);
            if (row >= block.rows_at_a_time()) load<size>(sums, partial + i, left, block, 0);
            for (int k = 0; k < elements; k++) {
                sums[k] = (row >= block.rows_at_a_time() ? sums[k] : 0) + g[k] * values[k] * scale;
                g[k] = scale * (g[k] * w[k] - values[k] * shift);
            }
            store<size>(partial + i, sums, left, block);
            store<size>(grad_x + row * n + i, g, left, block);
        }
    }
}

// sum[c] = the sum of partial[r][c] over all r: a block has blockDim.x columns, and blockDim.y threads for each.
template <class T>
__global__ void sum_rows_kernel(T* sum, const float* partial, int64_t rows, int64_t n) {
    __shared__ float sums[MOST_THREADS];
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float mine = 0;
    for (int64_t row = threadIdx.y; column < n && row < rows; row += blockDim.y) mine += partial[row * n + column];
    const int i = int(threadIdx.y * blockDim.x + threadIdx.x);
    sums[i] = mine;
    for (int half = int(blockDim.y) / 2; half > 0; half /= 2) {
        __syncthreads();
        if (int(threadIdx.y) < half) sums[i] += sums[i + half * int(blockDim.x)];
    }
    if (column < n && threadIdx.y == 0) sum[column] = T(sums[i]);
}

template <class T>
static void launch_sum_rows(T* sum, const float* partial, int64_t rows, int64_t n, cudaStream_t stream) {
    int threads_of_column = 1;  // a power of two; at most 128, so that a block has 8 columns, which are a sector
    while (threads_of_column < rows && threads_of_column < MOST_THREADS / 8) threads_of_column *= 2;
    const dim3 block(unsigned(MOST_THREADS / threads_of_column), unsigned(threads_of_column));
    sum_rows_kernel<<<blocks_for(n, int(block.x)), block, 0, stream>>>(sum, partial, rows, n);
    CHECK_LAUNCH();
}

// The launch of the first of these two kernels. Groups go from row to row whether they prefetch or not.
template <class T>
static auto backward(int64_t rows, int64_t n, bool whole, Step step) {
    constexpr int size = Pack<T>::SIZE;
    using Single = LoadedRows<T, 1, ELEMENTS>;
    using Packs = PrefetchedRows<T, ELEMENTS, 2>;
    using Long = PrefetchedRows<T, LONG_ELEMENTS, 2>;
    constexpr size_t bytes = 3 * sizeof(T);  // of an element of the next rows, and of the weight's
    static const Kernel<T*, float*, const T*, const T*, const T*, int64_t, int64_t, float> kernels[] = {
        {Step::warp, rms_norm_backward_kernel<T, Warp, Packs>, true, ELEMENTS, 32, bytes},
        {Step::warp, rms_norm_backward_kernel<T, Warp, Single>, false, ELEMENTS, 32},
        {Step::block, rms_norm_backward_kernel<T, Block, Packs>, true, ELEMENTS, GOOD_THREADS, bytes},
        {Step::cluster, rms_norm_backward_kernel<T, Cluster, Long>, true, LONG_ELEMENTS, GOOD_THREADS, bytes},
        {Step::online, rms_norm_backward_twice_kernel<T, size>, true, ELEMENTS, GOOD_THREADS},
        {Step::online, rms_norm_backward_twice_kernel<T, 1>, false, ELEMENTS, GOOD_THREADS},
    };
    return Launch(choose(kernels, step, n, whole), rows, n, true);
}

// It depends on where arrays begin which kernel takes the rows: memory for either is enough.
template <class T>
int64_t partial_rows(int64_t rows, int64_t n, Step step) {
    int64_t most = 0;
    for (const bool whole : {false, true}) {
        if (n == 0 || (whole && n % Pack<T>::SIZE != 0)) continue;
        if (!whole && (step == Step::block || step == Step::cluster)) continue;  // they take whole packs only
        most = std::max(most, backward<T>(rows, n, whole, step).rows_at_a_time());
    }
    return most;
}

template <class T>
void launch_rms_norm_backward(T* grad_x, T* grad_weight, float* partial, const T* grad, const T* x, const T* weight,
                              int64_t rows, int64_t n, float eps, Step step, cudaStream_t stream) {
    if (n == 0) return;
    const bool whole =
        n % Pack<T>::SIZE == 0 && aligned(grad_x) && aligned(partial) && aligned(grad) && aligned(x) && aligned(weight);
    auto launch = backward<T>(rows, n, whole, step);
    if (rows > 0) launch(stream, grad_x, partial, grad, x, weight, rows, n, eps);
    launch_sum_rows(grad_weight, partial, launch.rows_at_a_time(), n, stream);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                                               \
    template int64_t partial_rows<T>(int64_t, int64_t, Step);                                                     \
    template void launch_rms_norm(T*, const T*, const T*, int64_t, int64_t, float, Step, cudaStream_t);           \
    template void launch_rms_norm_backward(T*, T*, float*, const T*, const T*, const T*, int64_t, int64_t, float, \
                                           Step, cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
