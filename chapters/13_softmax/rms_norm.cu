// rms_norm.cu: RMS norm of each row, and its gradients, by the groups of rows.h. No torch header in here.
//
// RMS norm: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", 2019, arXiv:1910.07467.
#include "rms_norm.h"

#include <cmath>

#include "rows.h"

// ---- the weight ----------------------------------------------------------------------------------------------------

// The same for all rows: a thread keeps its elements in registers, or, where its group goes from row to row, in places
// of its own in shared memory, number `array`.
template <class T, int size, int elements, bool ahead, int array>
struct Weight {
    float values[ahead ? 1 : elements];

    template <class Group>
    __device__ Weight(const T* weight, int64_t n, const Group& group) {
        if constexpr (ahead)
            Places<T, elements>(array).fetch(weight, int(n), group);
        else
            load<size>(values, weight, int(n), group, 0);
    }

    __device__ float operator[](int i) const {
        if constexpr (ahead)
            return float(Places<T, elements>(array).pack(i / size).values[i % size]);
        else
            return values[i];
    }
};

// ---- forward -------------------------------------------------------------------------------------------------------

constexpr int KEPT = 16;  // elements of a row, and of the weight, that a thread keeps where a group has one row

// Of a block whose group goes from row to row: the weight and the next row take 128 KiB of its shared memory.
template <class T>
constexpr int THREADS_AHEAD = sizeof(T) == 4 ? 512 : 1024;

template <class T, int size, class Group, int elements, bool ahead>
__global__ void __launch_bounds__(elements == AHEAD ? THREADS_AHEAD<T> : MOST_THREADS)
    rms_norm_kernel(T* out, const T* x, const T* weight, int64_t rows, int64_t n, float eps) {
    const Group group;
    const Weight<T, size, elements, ahead, 1> w(weight, n, group);  // arrives while combine() waits
    const Rows<T, size, elements, ahead> source(x, rows, n, group);
    for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
        float values[elements], squares = 0;
        const Row row = source.load(values, first, group, 0);
        UNROLL for (float value : values) squares += value * value;
        squares = group.combine(float2{warp_sum(squares, group.lanes()), 0}).x;
        const float scale = 1 / sqrtf(squares / float(n) + eps);
        UNROLL for (int i = 0; i < elements; i++) { values[i] *= scale * w[i]; }
        store<size>(out + row.begin, values, row.n, group);
    }
}

// A row of any length, read twice.
template <class T, int size>
__global__ void __launch_bounds__(GOOD_THREADS)
    rms_norm_twice_kernel(T* out, const T* x, const T* weight, int64_t /*rows*/, int64_t n, float eps) {
    const Block block;
    const int step = block.size() * KEPT;
    out += block.first_row() * n, x += block.first_row() * n;
    float values[KEPT], w[KEPT], squares = 0;
    for (int64_t i = 0; i < n; i += step) {
        load<size>(values, x + i, int(min(n - i, int64_t(step))), block, 0);
        for (float value : values) squares += value * value;
    }
    squares = block.combine(float2{warp_sum(squares), 0}).x;
    const float scale = 1 / sqrtf(squares / float(n) + eps);
    for (int64_t i = 0; i < n; i += step) {
        const int left = int(min(n - i, int64_t(step)));
        load<size>(values, x + i, left, block, 0);
        load<size>(w, weight + i, left, block, 0);
        for (int k = 0; k < KEPT; k++) values[k] *= scale * w[k];
        store<size>(out + i, values, left, block);
    }
}

template <class T>
void launch_rms_norm(T* out, const T* x, const T* weight, int64_t rows, int64_t n, float eps, Step step,
                     cudaStream_t stream) {
    if (rows == 0 || n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int size = Pack<T>::SIZE;
    const bool whole = n % size == 0 && aligned(out) && aligned(x) && aligned(weight);
    constexpr bool half = sizeof(T) == 2;
    const Choice choice = choose(step, n, {KEPT, false, half, THREADS_AHEAD<T>, true, 2 * sizeof(T)}, whole);
    const auto kernel =
        choice.step == Step::cluster ? rms_norm_kernel<T, size, Cluster, AHEAD, true>
        : choice.step == Step::block ? choice.elements == AHEAD ? rms_norm_kernel<T, size, Block, AHEAD, true>
                                                                : rms_norm_kernel<T, size, Block, KEPT, half>
        : choice.step == Step::warp
            ? whole ? rms_norm_kernel<T, size, Warp, KEPT, false> : rms_norm_kernel<T, 1, Warp, KEPT, false>
        : whole ? rms_norm_twice_kernel<T, size>
                : rms_norm_twice_kernel<T, 1>;
    launch(kernel, choice, groups_for(kernel, choice, rows), stream, out, x, weight, rows, n, eps);
}

// ---- backward ------------------------------------------------------------------------------------------------------

// The gradient of weight is a sum over all rows. So a group goes from row to row, and each thread adds up what its
// columns get. In the end a group writes its sums, one row of `partial`, and a second kernel adds these rows up.
template <class T, int size, class Group, int elements>
__global__ void __launch_bounds__(GOOD_THREADS)
    rms_norm_backward_kernel(T* grad_x, float* partial, const T* grad, const T* x, const T* weight, int64_t rows,
                             int64_t n, float eps) {
    constexpr bool ahead = size > 1;
    const Group group;
    const Weight<T, size, elements, ahead, 2> w(weight, n, group);
    const Rows<T, size, elements, ahead, 2> of_grad(grad, rows, n, group, 0), of_x(x, rows, n, group, 1);
    float sums[elements] = {};
    for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
        float g[elements], values[elements];
        const Row row = of_grad.load(g, first, group, 0);
        of_x.load(values, first, group, 0);
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
        store<size>(grad_x + row.begin, g, row.n, group);
    }
    const int64_t number = group.first_row() + threadIdx.y;  // of this group
    store<size>(partial + number * n, sums, int(n), group);
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
    int threads_of_column = 1;  // a power of two; no more than leave 8 columns to a block, a sector of 32 bytes
    while (threads_of_column < rows && threads_of_column < MOST_THREADS / 8) threads_of_column *= 2;
    const dim3 block(unsigned(MOST_THREADS / threads_of_column), unsigned(threads_of_column));
    sum_rows_kernel<<<blocks_for(n, int(block.x)), block, 0, stream>>>(sum, partial, rows, n);
    CHECK_LAUNCH();
}

// The choice of threads, the kernel, and how many groups run.
template <class T>
struct Backward {
    static constexpr int size = Pack<T>::SIZE;
    Choice choice;
    decltype(&rms_norm_backward_kernel<T, size, Warp, KEPT>) kernel;
    int64_t groups;

    Backward(int64_t rows, int64_t n, bool whole, Step step)
        : choice(choose(step, n, {KEPT, true, true, GOOD_THREADS, false, 3 * sizeof(T)}, whole)),
          kernel(choice.step == Step::cluster ? rms_norm_backward_kernel<T, size, Cluster, AHEAD>
                 : choice.step == Step::block ? rms_norm_backward_kernel<T, size, Block, KEPT>
                 : choice.step == Step::warp  ? whole ? rms_norm_backward_kernel<T, size, Warp, KEPT>
                                                      : rms_norm_backward_kernel<T, 1, Warp, KEPT>
                 : whole                      ? rms_norm_backward_twice_kernel<T, size>
                                              : rms_norm_backward_twice_kernel<T, 1>),
          groups(rows == 0 ? 0 : groups_that_fit(kernel, choice, rows)) {}
};

// It depends on where arrays begin which step takes the rows: memory for either is enough.
template <class T>
int64_t partial_rows(int64_t rows, int64_t n, Step step) {
    int64_t most = 0;
    for (const bool whole : {false, true}) {
        if (n == 0 || (whole && n % Pack<T>::SIZE != 0)) continue;
        if (!whole && (step == Step::block || step == Step::cluster)) continue;  // they take whole packs only
        const Backward<T> backward(rows, n, whole, step);
        most = std::max(most, backward.groups * backward.choice.block.y);
    }
    return most;
}

template <class T>
void launch_rms_norm_backward(T* grad_x, T* grad_weight, float* partial, const T* grad, const T* x, const T* weight,
                              int64_t rows, int64_t n, float eps, Step step, cudaStream_t stream) {
    if (n == 0) return;
    const bool whole =
        n % Pack<T>::SIZE == 0 && aligned(grad_x) && aligned(partial) && aligned(grad) && aligned(x) && aligned(weight);
    const auto [choice, kernel, groups] = Backward<T>(rows, n, whole, step);
    if (groups > 0) launch(kernel, choice, groups, stream, grad_x, partial, grad, x, weight, rows, n, eps);
    launch_sum_rows(grad_weight, partial, groups * choice.block.y, n, stream);
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
