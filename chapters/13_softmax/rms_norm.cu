// rms_norm.cu: RMS norm of each row, and its gradients. No torch header in here.
//
// RMS norm: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", 2019, arXiv:1910.07467.
#include "rms_norm.h"

#include <cmath>

#include "launch.h"
#include "pipeline.h"

// ---- forward -------------------------------------------------------------------------------------------------------

template <class E>
__device__ float square_sum(const E& x) {
    float sum = 0;
    UNROLL for (int i = 0; i < E::COUNT; i++) sum += x[i] * x[i];
    return sum;
}

// 1 / sqrt(the mean of x * x + eps); per_n: 1 / n
__device__ inline float scale_of(float squares, float per_n, float eps) { return rsqrtf(squares * per_n + eps); }

template <class T, class E, class Group>
__device__ void write(T* row, const E& x, const E& weight, float scale, int64_t n, const Group& group) {
    E::store(row, n, group, [&](int i) { return x[i] * (scale * weight[i]); });
}

// The weight, which is the same for all rows, comes from the L2 cache. It is loaded last: what is loaded before a
// barrier is waited for there.
template <class T, class Group, int size, int packs>
__global__ void __launch_bounds__(KEPT_THREADS)
    rms_norm_kernel(T* out, const T* x, const T* weight, int64_t rows, int64_t n, float eps) {
    const Group group;
    const Row row = row_of(group.row(), rows, n);
    Elements<T, size, packs> values, w;
    values.load(x + row.begin, row.n, group, 0);
    const float squares = group.combine(float2{warp_sum(square_sum(values), group.lanes()), 0}).x;
    w.load(weight, n, group, 0);
    write(out + row.begin, values, w, scale_of(squares, 1 / float(n), eps), row.n, group);
}

// A row of any length, read twice. The second time it takes half as many packs at a time, as the weight needs
// registers, too.
template <class T, int size, int packs>
__global__ void __launch_bounds__(TWICE_THREADS<T>)
    rms_norm_twice_kernel(T* out, const T* x, const T* weight, int64_t /*rows*/, int64_t n, float eps) {
    const Block block;
    const int64_t step = int64_t(block.size()) * size * packs;
    out += block.row() * n, x += block.row() * n;
    Elements<T, size, packs> values;
    float squares = 0;
    for (int64_t i = 0; i < n; i += step) {
        values.template load<Read::keep_all>(x + i, n - i, block, 0);
        squares += square_sum(values);
    }
    const float scale = scale_of(block.combine(float2{warp_sum(squares), 0}).x, 1 / float(n), eps);
    Elements<T, size, packs / 2> half, w;
    for (int64_t i = 0; i < n; i += step / 2) {
        half.template load<Read::last>(x + i, n - i, block, 0);
        w.template load<Read::keep_all>(weight + i, n - i, block, 0);
        write(out + i, half, w, scale, n - i, block);
    }
}

// A thread has the same elements of all rows, so it keeps theirs of the weight.
template <class T, int packs, int threads, int stages>
__global__ void __launch_bounds__(threads)
    rms_norm_cluster_kernel(T* out, const T* x, const T* weight, int64_t count, int64_t n, float eps) {
    Cluster<threads> cluster;
    Elements<T, Pack<T>::SIZE, packs> w;
    w.load(weight, n, cluster, 0);
    const float per_n = 1 / float(n);
    for (Pipeline<T, packs, 1, threads, stages> rows({x}, count, n, cluster); rows.any(); rows.advance()) {
        const auto values = rows.arrived();
        cluster.send(float2{warp_sum(square_sum(values)), 0});
        rows.fetch();
        const float scale = scale_of(cluster.template receive<float2>().x, per_n, eps);
        write(out + rows.row * n, values, w, scale, n, cluster);
    }
}

template <class T>
void launch_rms_norm(T* out, const T* x, const T* weight, int64_t rows, int64_t n, float eps, Step step,
                     cudaStream_t stream) {
    if (rows == 0 || n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int size = Pack<T>::SIZE, twice = 8;
    constexpr int packs = sizeof(T) == 4 ? 8 : 4, threads = 512, stages = 2;  // in a cluster
    static const Kernel<T*, const T*, const T*, int64_t, int64_t, float> kernels[] = {
        {Step::warp, rms_norm_kernel<T, Warp, size, 4>, true, 4 * size, 32},
        {Step::warp, rms_norm_kernel<T, Warp, 1, 16>, false, 16, 32},
        {Step::block, rms_norm_kernel<T, Block, size, 4>, true, 4 * size, KEPT_THREADS},
        {Step::online, rms_norm_twice_kernel<T, size, twice>, true, twice * size, TWICE_THREADS<T>, LONGEST_TWICE},
        {Step::cluster, rms_norm_cluster_kernel<T, packs, threads, stages>, true, packs * size, threads, INT64_MAX,
         Pipeline<T, packs, 1, threads, stages>::BYTES},
        {Step::online, rms_norm_twice_kernel<T, size, twice>, true, twice * size, TWICE_THREADS<T>},
        {Step::online, rms_norm_twice_kernel<T, 1, 16>, false, 16, TWICE_THREADS<T>},
    };
    const bool whole = n % size == 0 && aligned(out) && aligned(x) && aligned(weight);
    const auto& kernel = choose(kernels, step, n, whole);
    Launch(kernel, rows, n, kernel.step == Step::cluster)(stream, out, x, weight, rows, n, eps);
}

// ---- backward ------------------------------------------------------------------------------------------------------

// A thread's part of the sums of x * x and of grad * weight * x.
template <class E>
__device__ float2 sums_of(const E& g, const E& x, const E& w) {
    float2 sums = {0, 0};
    UNROLL for (int i = 0; i < E::COUNT; i++) sums.x += x[i] * x[i], sums.y += g[i] * w[i] * x[i];
    return sums;
}

__device__ inline float2 warp_sum(float2 sums, int lanes = 32) {
    return {warp_sum(sums.x, lanes), warp_sum(sums.y, lanes)};
}

// The gradient of x is scale * grad * weight - shift * x. Both numbers come from the row's two sums.
struct Factors {
    float scale, shift;
};
__device__ inline Factors factors_of(float2 sums, float per_n, float eps) {
    const float scale = scale_of(sums.x, per_n, eps);
    return {scale, scale * scale * scale * (sums.y * per_n)};
}

// Writes the gradient of x, and adds to that of weight what this row adds: both at once, so that nvcc need not keep
// elements as floats in between.
template <class T, class E, class Group>
__device__ void write_gradient(T* row, float (&of_weight)[E::COUNT], const E& g, const E& x, const E& w, Factors f,
                               int64_t n, const Group& group) {
    E::store(row, n, group, [&](int i) {
        of_weight[i] += g[i] * f.scale * x[i];
        return g[i] * f.scale * w[i] - f.shift * x[i];
    });
}

// The gradient of weight is a sum over all rows. So a group goes from row to row, and each thread adds up what its
// columns get. In the end a group writes its sums, one row of `partial`, and a second kernel adds these rows up.
template <class T, class Group, int size, int packs>
__global__ void __launch_bounds__(KEPT_THREADS / 2)
    rms_norm_backward_kernel(T* grad_x, float* partial, const T* grad, const T* x, const T* weight, int64_t rows,
                             int64_t n, float eps) {
    const Group group;
    Elements<T, size, packs> g, values, w;
    float of_weight[g.COUNT] = {};
    w.load(weight, n, group, 0);
    const float per_n = 1 / float(n);
    // The lanes of a warp leave the loop together, for the shuffles: with the first row of their block.
    for (int64_t number = group.row(); number - threadIdx.y < rows; number += group.rows_at_a_time()) {
        const Row row = row_of(number, rows, n);
        g.load(grad + row.begin, row.n, group, 0);
        values.load(x + row.begin, row.n, group, 0);
        const float2 sums = group.combine(warp_sum(sums_of(g, values, w), group.lanes()));
        if (row.n == 0) continue;  // no row: its scale would be infinite where eps is 0
        write_gradient(grad_x + row.begin, of_weight, g, values, w, factors_of(sums, per_n, eps), n, group);
    }
    g.store(partial + group.row() * n, n, group, [&](int i) { return of_weight[i]; });
}

// A row of any length, read twice. Sums of so many columns do not fit into registers: they are added in memory.
template <class T, int size, int packs>
__global__ void __launch_bounds__(KEPT_THREADS)
    rms_norm_backward_twice_kernel(T* grad_x, float* partial, const T* grad, const T* x, const T* weight, int64_t rows,
                                   int64_t n, float eps) {
    const Block block;
    const int64_t step = int64_t(block.size()) * size * packs;
    Elements<T, size, packs> g, values, w;
    Elements<float, size, packs> before;
    float of_weight[g.COUNT];
    partial += block.row() * n;
    for (int64_t row = block.row(); row < rows; row += block.rows_at_a_time()) {
        float2 sums = {0, 0};
        for (int64_t i = 0; i < n; i += step) {
            g.load(grad + row * n + i, n - i, block, 0);
            values.load(x + row * n + i, n - i, block, 0);
            w.load(weight + i, n - i, block, 0);
            const float2 more = sums_of(g, values, w);
            sums.x += more.x, sums.y += more.y;
        }
        const Factors factors = factors_of(block.combine(warp_sum(sums)), 1 / float(n), eps);
        for (int64_t i = 0; i < n; i += step) {
            g.template load<Read::last>(grad + row * n + i, n - i, block, 0);
            values.template load<Read::last>(x + row * n + i, n - i, block, 0);
            w.load(weight + i, n - i, block, 0);
            const bool is_first = row == block.row();  // `partial` has nothing yet
            if (!is_first) before.template load<Read::plain>(partial + i, n - i, block, 0);
            UNROLL for (int k = 0; k < g.COUNT; k++) of_weight[k] = is_first ? 0 : before[k];
            write_gradient(grad_x + row * n + i, of_weight, g, values, w, factors, n - i, block);
            g.store(partial + i, n - i, block, [&](int k) { return of_weight[k]; });
        }
    }
}

// The sums need so many registers that a row stays in shared memory, and is read from there twice.
template <class T, int packs, int threads, int stages>
__global__ void __launch_bounds__(threads)
    rms_norm_backward_cluster_kernel(T* grad_x, float* partial, const T* grad, const T* x, const T* weight,
                                     int64_t count, int64_t n, float eps) {
    Cluster<threads> cluster;
    Elements<T, Pack<T>::SIZE, packs> w;
    float of_weight[w.COUNT] = {};
    w.load(weight, n, cluster, 0);
    const float per_n = 1 / float(n);
    for (Pipeline<T, packs, 2, threads, stages> rows({grad, x}, count, n, cluster); rows.any(); rows.advance()) {
        cluster.send(warp_sum(sums_of(rows.arrived(0), rows.arrived(1), w)));
        const Factors factors = factors_of(cluster.template receive<float2>(), per_n, eps);
        write_gradient(grad_x + rows.row * n, of_weight, rows.arrived(0), rows.arrived(1), w, factors, n, cluster);
        rows.fetch();
    }
    w.store(partial + cluster.row() * n, n, cluster, [&](int i) { return of_weight[i]; });
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

// The launch of the first of these two kernels. Groups go from row to row in all of them.
template <class T>
static auto backward(int64_t rows, int64_t n, bool whole, Step step) {
    constexpr int size = Pack<T>::SIZE, packs = 16 / size, twice = 8 / size;
    // Threads of a block of a cluster. Clusters of up to 8 blocks have few, and several blocks share a multiprocessor.
    constexpr int few = 128, many = 512, stages = 2;
    static const Kernel<T*, float*, const T*, const T*, const T*, int64_t, int64_t, float> kernels[] = {
        {Step::warp, rms_norm_backward_kernel<T, Warp, size, 4>, true, 4 * size, 32},
        {Step::warp, rms_norm_backward_kernel<T, Warp, 1, 16>, false, 16, 32},
        {Step::block, rms_norm_backward_kernel<T, Block, size, packs>, true, 16, KEPT_THREADS / 2, 2048},
        {Step::cluster, rms_norm_backward_cluster_kernel<T, 4, few, stages>, true, 4 * size, few, 8 * few * 4 * size,
         Pipeline<T, 4, 2, few, stages>::BYTES},
        {Step::cluster, rms_norm_backward_cluster_kernel<T, 4, many, stages>, true, 4 * size, many, INT64_MAX,
         Pipeline<T, 4, 2, many, stages>::BYTES},
        {Step::online, rms_norm_backward_twice_kernel<T, size, twice>, true, 8, KEPT_THREADS},
        {Step::online, rms_norm_backward_twice_kernel<T, 1, 8>, false, 8, KEPT_THREADS},
        {Step::block, rms_norm_backward_kernel<T, Block, size, packs>, true, 16, KEPT_THREADS / 2},  // if asked for
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
    const bool whole = n % Pack<T>::SIZE == 0 && aligned(grad_x) &&
                       aligned(partial, alignof(Pack<float, Pack<T>::SIZE>)) && aligned(grad) && aligned(x) &&
                       aligned(weight);
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
