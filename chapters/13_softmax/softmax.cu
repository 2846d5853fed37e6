// softmax.cu: the softmax of each row, step by step from three passes over memory to one, and its gradient. No torch
// header in here.
#include "softmax.h"

#include <cmath>

#include "launch.h"
#include "pipeline.h"

constexpr int THREADS = 256;  // of a block, in the first two steps

// ---- a block reads a row three times -------------------------------------------------------------------------------

// combine() takes the warp's maximum and its sum, and returns the row's. The first call passes 0 for the sum. In the
// second, all warps pass the row's maximum, so no sum is scaled.
template <class T>
__global__ void three_passes_kernel(T* out, const T* x, int64_t n) {
    const Block block;
    out += block.row() * n, x += block.row() * n;
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
    out += block.row() * n, x += block.row() * n;
    float max = -FLT_MAX, sum = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) max = fmaxf(max, row[i] = float(x[i]));
    max = block.combine(MaxSum{warp_max(max), 0}).max;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += row[i] = expf(row[i] - max);
    sum = block.combine(MaxSum{max, warp_sum(sum)}).sum;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = T(row[i] / sum);
}

template <class T>
static void launch_shared(T* out, const T* x, int64_t rows, int64_t n, cudaStream_t stream) {
    const int most = allow_shared_memory(shared_kernel<T>);
    const int64_t bytes = n * int64_t(sizeof(float));
    if (bytes > most)
        throw std::runtime_error("step shared keeps " + std::to_string(most / sizeof(float)) +
                                 " elements in a block's shared memory, and the row has " + std::to_string(n));
    shared_kernel<T><<<blocks_for(rows, 1), THREADS, bytes, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

// ---- what the other kernels share ----------------------------------------------------------------------------------

// exp(x) for x <= 0. `ex2.approx` is 2 to the power of x. With a product it takes 2 instructions, where expf takes 8,
// and its relative error grows with |x|: up to 5e-7 for exp(-10), 4e-6 for exp(-80). "ftz": below 1e-38 it is 0.
__device__ inline float fast_exp(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * 1.442695041f));  // 1 / ln 2
    return result;
}

// A thread's part of a row, as exp(element - max), with the maximum of its warp's part.
template <class E>
struct Exponentials {
    float values[E::COUNT], max = -FLT_MAX, sum = 0;  // sum: over the warp's part

    __device__ Exponentials(const E& x, int lanes) {
        UNROLL for (int i = 0; i < E::COUNT; i++) max = fmaxf(max, x[i]);
        max = warp_max(max, lanes);
        UNROLL for (int i = 0; i < E::COUNT; i++) sum += values[i] = fast_exp(x[i] - max);
        sum = warp_sum(sum, lanes);
    }

    // all: the maximum and the sum of the row
    template <class T, class Group>
    __device__ void write(T* row, MaxSum all, int64_t n, const Group& group) const {
        const float scale = fast_exp(max - all.max) / all.sum;
        E::store(row, n, group, [&](int i) { return values[i] * scale; });
    }
};

// ---- a warp or a block keeps a row in its registers ----------------------------------------------------------------

template <class T, class Group, int size, int packs>
__global__ void __launch_bounds__(KEPT_THREADS) softmax_kernel(T* out, const T* x, int64_t rows, int64_t n) {
    const Group group;
    const Row row = row_of(group.row(), rows, n);
    Elements<T, size, packs> values;
    values.load(x + row.begin, row.n, group, -INFINITY);
    const Exponentials exps(values, group.lanes());
    exps.write(out + row.begin, group.combine(MaxSum{exps.max, exps.sum}), row.n, group);
}

// ---- online: a block reads a row of any length twice ---------------------------------------------------------------

// The maximum and the sum in one pass. (`rows` is there because softmax_kernel has it, and Launch passes the same to
// both.)
template <class T, int size, int packs>
__global__ void __launch_bounds__(TWICE_THREADS<T>) online_kernel(T* out, const T* x, int64_t /*rows*/, int64_t n) {
    const Block block;
    const int64_t step = int64_t(block.size()) * size * packs;
    out += block.row() * n, x += block.row() * n;
    Elements<T, size, packs> values;
    MaxSum mine = {-FLT_MAX, 0};
    for (int64_t i = 0; i < n; i += step) {
        values.load(x + i, n - i, block, -INFINITY);
        const float before = mine.max;
        UNROLL for (int k = 0; k < values.COUNT; k++) mine.max = fmaxf(mine.max, values[k]);
        mine.sum *= expf(before - mine.max);  // a larger maximum makes the sum so far smaller; once for many elements
        UNROLL for (int k = 0; k < values.COUNT; k++) mine.sum += fast_exp(values[k] - mine.max);
    }
    const float max = warp_max(mine.max);
    const MaxSum all = block.combine(MaxSum{max, warp_sum(mine.sum * expf(mine.max - max))});
    const float scale = 1 / all.sum;
    for (int64_t i = 0; i < n; i += step) {
        values.template load<Read::last>(x + i, n - i, block, 0);
        values.store(out + i, n - i, block, [&](int k) { return fast_exp(values[k] - all.max) * scale; });
    }
}

// ---- a cluster keeps a row in its registers ------------------------------------------------------------------------

template <class T, int packs, int threads, int stages>
__global__ void __launch_bounds__(threads) softmax_cluster_kernel(T* out, const T* x, int64_t count, int64_t n) {
    Cluster<threads> cluster;
    for (Pipeline<T, packs, 1, threads, stages> rows({x}, count, n, cluster, -INFINITY); rows.any(); rows.advance()) {
        const Exponentials exps(rows.arrived(), cluster.lanes());
        cluster.send(MaxSum{exps.max, exps.sum});
        rows.fetch();
        exps.write(out + rows.row * n, cluster.template receive<MaxSum>(), n, cluster);
    }
}

template <class T>
void launch_softmax(T* out, const T* x, int64_t rows, int64_t n, Step step, cudaStream_t stream) {
    if (rows == 0 || n == 0) return;  // CUDA refuses a grid of 0 blocks
    if (step == Step::three_passes) return launch_three_passes(out, x, rows, n, stream);
    if (step == Step::shared) return launch_shared(out, x, rows, n, stream);
    constexpr int size = Pack<T>::SIZE, twice = TWICE_PACKS<T>;
    constexpr int packs = sizeof(T) == 4 ? 16 : 8, threads = 256, stages = 1;  // in a cluster
    // Of float more than it needs: with one block for each multiprocessor, fewer rows are at work at a time, and the
    // memory of an H200 is faster.
    constexpr int needed = Pipeline<T, packs, 1, threads, stages>::BYTES;
    constexpr int bytes = sizeof(T) == 4 ? std::max(needed, ONE_BLOCK) : needed;
    static const Kernel<T*, const T*, int64_t, int64_t> kernels[] = {
        {Step::warp, softmax_kernel<T, Warp, size, 4>, true, 4 * size, 32},
        {Step::warp, softmax_kernel<T, Warp, 1, 16>, false, 16, 32},
        {Step::block, softmax_kernel<T, Block, size, 4>, true, 4 * size, KEPT_THREADS},
        {Step::online, online_kernel<T, size, twice>, true, twice * size, TWICE_THREADS<T>, LONGEST_TWICE},
        {Step::cluster, softmax_cluster_kernel<T, packs, threads, stages>, true, packs * size, threads, INT64_MAX,
         bytes},
        {Step::online, online_kernel<T, size, twice>, true, twice * size, TWICE_THREADS<T>},
        {Step::online, online_kernel<T, 1, 16>, false, 16, TWICE_THREADS<T>},
    };
    const bool whole = n % size == 0 && aligned(out) && aligned(x);
    const auto& kernel = choose(kernels, step, n, whole);
    Launch(kernel, rows, n, kernel.step == Step::cluster)(stream, out, x, rows, n);
}

// ---- backward ------------------------------------------------------------------------------------------------------

// A thread's part of the sum of grad * y, and the gradient.
template <class E>
__device__ float product_sum(const E& grad, const E& y) {
    float sum = 0;
    UNROLL for (int i = 0; i < E::COUNT; i++) sum += grad[i] * y[i];
    return sum;
}

template <class T, class E, class Group>
__device__ void write_gradient(T* row, const E& grad, const E& y, float sum, int64_t n, const Group& group) {
    E::store(row, n, group, [&](int i) { return y[i] * (grad[i] - sum); });
}

template <class T, class Group, int size, int packs>
__global__ void __launch_bounds__(KEPT_THREADS)
    softmax_backward_kernel(T* grad_x, const T* grad, const T* y, int64_t rows, int64_t n) {
    const Group group;
    const Row row = row_of(group.row(), rows, n);
    Elements<T, size, packs> g, values;
    g.load(grad + row.begin, row.n, group, 0);
    values.load(y + row.begin, row.n, group, 0);
    const float sum = warp_sum(product_sum(g, values), group.lanes());
    write_gradient(grad_x + row.begin, g, values, group.combine(float2{sum, 0}).x, row.n, group);
}

// A row of any length, read twice. keeps: except for its last part, which stays in registers. So the L1 cache is not
// asked to keep that part, too.
template <class T, int size, int packs, bool keeps>
__global__ void __launch_bounds__(MOST_THREADS)
    softmax_backward_twice_kernel(T* grad_x, const T* grad, const T* y, int64_t /*rows*/, int64_t n) {
    const Block block;
    const int64_t step = int64_t(block.size()) * size * packs;
    grad_x += block.row() * n, grad += block.row() * n, y += block.row() * n;
    Elements<T, size, packs> g, values;
    float sum = 0;
    int64_t tail = 0;  // where the last part begins
    for (; tail + step < n; tail += step) {
        g.template load<Read::keep_all>(grad + tail, n - tail, block, 0);
        values.template load<Read::keep_all>(y + tail, n - tail, block, 0);
        sum += product_sum(g, values);
    }
    g.template load<keeps ? Read::keep : Read::keep_all>(grad + tail, n - tail, block, 0);
    values.template load<keeps ? Read::keep : Read::keep_all>(y + tail, n - tail, block, 0);
    sum = block.combine(float2{warp_sum(sum + product_sum(g, values)), 0}).x;
    if (keeps) write_gradient(grad_x + tail, g, values, sum, n - tail, block);
    for (int64_t i = 0; i < (keeps ? tail : n); i += step) {
        g.template load<Read::last>(grad + i, n - i, block, 0);
        values.template load<Read::last>(y + i, n - i, block, 0);
        write_gradient(grad_x + i, g, values, sum, n - i, block);
    }
}

template <class T, int packs, int threads, int stages>
__global__ void __launch_bounds__(threads)
    softmax_backward_cluster_kernel(T* grad_x, const T* grad, const T* y, int64_t count, int64_t n) {
    Cluster<threads> cluster;
    for (Pipeline<T, packs, 2, threads, stages> rows({grad, y}, count, n, cluster); rows.any(); rows.advance()) {
        const auto g = rows.arrived(0), values = rows.arrived(1);
        cluster.send(float2{warp_sum(product_sum(g, values)), 0});
        rows.fetch();
        write_gradient(grad_x + rows.row * n, g, values, cluster.template receive<float2>().x, n, cluster);
    }
}

template <class T>
void launch_softmax_backward(T* grad_x, const T* grad, const T* y, int64_t rows, int64_t n, Step step,
                             cudaStream_t stream) {
    if (rows == 0 || n == 0) return;
    constexpr int size = Pack<T>::SIZE, twice = 4;
    constexpr int packs = sizeof(T) == 4 ? 8 : 4, threads = 512, stages = 1;
    constexpr bool keeps = sizeof(T) == 4;  // in half precision, an H200 is faster if it reads all of the row again
    static const Kernel<T*, const T*, const T*, int64_t, int64_t> kernels[] = {
        {Step::warp, softmax_backward_kernel<T, Warp, size, 4>, true, 4 * size, 32},
        {Step::warp, softmax_backward_kernel<T, Warp, 1, 16>, false, 16, 32},
        {Step::block, softmax_backward_kernel<T, Block, size, 1>, true, size, KEPT_THREADS},
        {Step::block, softmax_backward_kernel<T, Block, size, 4>, true, 4 * size, KEPT_THREADS},
        {Step::online, softmax_backward_twice_kernel<T, size, twice, keeps>, true, twice * size, MOST_THREADS,
         LONGEST_TWICE},
        {Step::cluster, softmax_backward_cluster_kernel<T, packs, threads, stages>, true, packs * size, threads,
         INT64_MAX, Pipeline<T, packs, 2, threads, stages>::BYTES},
        {Step::online, softmax_backward_twice_kernel<T, size, twice, keeps>, true, twice * size, MOST_THREADS},
        {Step::online, softmax_backward_twice_kernel<T, 1, 16, false>, false, 16, MOST_THREADS},
    };
    const bool whole = n % size == 0 && aligned(grad_x) && aligned(grad) && aligned(y);
    const auto& kernel = choose(kernels, step, n, whole);
    Launch(kernel, rows, n, kernel.step == Step::cluster)(stream, grad_x, grad, y, rows, n);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                   \
    template void launch_softmax(T*, const T*, int64_t, int64_t, Step, cudaStream_t); \
    template void launch_softmax_backward(T*, const T*, const T*, int64_t, int64_t, Step, cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
