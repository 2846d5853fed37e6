// tune.cu: every promising variant of chapter 13's kernels at the sizes of the targets. One file, no torch.
//
//   cd <repository>; nvcc -O3 -arch=sm_90 -std=c++17 -I. -o tune13 tune/13_softmax.cu && ./tune13
//   [softmax|rms_norm|softmax_backward|rms_norm_backward]
//
// Columns: elements a thread keeps (E), threads of a block, blocks of a cluster, mode, GB/s, fraction of a copy in this
// run. mode: row       a group has one row, as in the chapter
//       loop      as many groups as fit; each goes from row to row
//       prefetch  the same, and asynchronous copies bring the next row into shared memory meanwhile
//       late      rms_norm: the weight is loaded behind combine()
//       .cs       results are stored with __stcs
// "*** wrong" behind a line: the result differs from that of three_passes_kernel or the *_twice_kernel.
#include <cuda_pipeline_primitives.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "chapters/13_softmax/softmax.cu"
#undef FOR_TYPE
#include "chapters/13_softmax/rms_norm.cu"

constexpr float EPS = 1e-6f;
enum Mode { ROW, LOOP, PREFETCH, LATE, ROW_CS };
static const char* mode_names[] = {"row", "loop", "prefetch", "late", "row.cs"};

// As in rows.h, unrolled by order: nvcc leaves loops of 32 alone, and then the array is not in registers.
template <int size, class T, int E, class Group>
__device__ void load_u(float (&values)[E], const T* row, int n, const Group& group, float none) {
    Pack<T, size> packs[E / size];
#pragma unroll
    for (int k = 0; k < E / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        packs[k] = *reinterpret_cast<const Pack<T, size>*>(row + (begin < n ? begin : 0));
    }
#pragma unroll
    for (int k = 0; k < E / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
#pragma unroll
        for (int j = 0; j < size; j++) values[k * size + j] = begin < n ? float(packs[k].values[j]) : none;
    }
}
template <int size, class T, int E, class Group>
__device__ void store_u(T* row, const float (&values)[E], int n, const Group& group) {
#pragma unroll
    for (int k = 0; k < E / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        Pack<T, size> pack;
#pragma unroll
        for (int j = 0; j < size; j++) pack.values[j] = T(values[k * size + j]);
        if (begin < n) *reinterpret_cast<Pack<T, size>*>(row + begin) = pack;
    }
}

// ---- what a group does with a row: a is x or grad, b is weight or y
// --------------------------------------------------
struct Softmax {
    static constexpr int arrays = 1;
    static constexpr bool weight = false;
    static constexpr float none = -INFINITY;
    template <int E, class Group>
    static __device__ void apply(float (&a)[E], float (&)[E], int64_t, const Group& group) {
        float max = -FLT_MAX, sum = 0;
#pragma unroll
        for (float value : a) max = fmaxf(max, value);
        max = warp_max(max, group.lanes());
#pragma unroll
        for (float& value : a) sum += value = expf(value - max);
        const MaxSum all = group.combine(MaxSum{max, warp_sum(sum, group.lanes())});
        const float scale = expf(max - all.max) / all.sum;
#pragma unroll
        for (float& value : a) value *= scale;
    }
};
struct SoftmaxFast : Softmax {  // __expf
    template <int E, class Group>
    static __device__ void apply(float (&a)[E], float (&)[E], int64_t, const Group& group) {
        float max = -FLT_MAX, sum = 0;
#pragma unroll
        for (float value : a) max = fmaxf(max, value);
        max = warp_max(max, group.lanes());
#pragma unroll
        for (float& value : a) sum += value = __expf(value - max);
        const MaxSum all = group.combine(MaxSum{max, warp_sum(sum, group.lanes())});
        const float scale = expf(max - all.max) / all.sum;
#pragma unroll
        for (float& value : a) value *= scale;
    }
};
struct RmsNorm {
    static constexpr int arrays = 1;
    static constexpr bool weight = true;
    static constexpr float none = 0;
    template <int E, class Group>
    static __device__ void apply(float (&a)[E], float (&w)[E], int64_t n, const Group& group) {
        float squares = 0;
#pragma unroll
        for (float value : a) squares += value * value;
        squares = group.combine(float2{warp_sum(squares, group.lanes()), 0}).x;
        const float scale = 1 / sqrtf(squares / float(n) + EPS);
#pragma unroll
        for (int i = 0; i < E; i++) a[i] *= scale * w[i];
    }
};
struct SoftmaxBackward {
    static constexpr int arrays = 2;
    static constexpr bool weight = false;
    static constexpr float none = 0;
    template <int E, class Group>
    static __device__ void apply(float (&g)[E], float (&y)[E], int64_t, const Group& group) {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < E; i++) sum += g[i] * y[i];
        sum = group.combine(float2{warp_sum(sum, group.lanes()), 0}).x;
#pragma unroll
        for (int i = 0; i < E; i++) g[i] = y[i] * (g[i] - sum);
    }
};

template <int size, class T, int E, class Group>
__device__ void store_cs(T* row, const float (&values)[E], int n, const Group& group) {
#pragma unroll
    for (int k = 0; k < E / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        Pack<T, size> pack;
#pragma unroll
        for (int j = 0; j < size; j++) pack.values[j] = T(values[k * size + j]);
        if (begin < n) __stcs(reinterpret_cast<uint4*>(row + begin), *reinterpret_cast<uint4*>(&pack));
    }
}

// A thread's packs of a row, to its own place in shared memory, and from there.
template <int size, int E, class T, class Group>
__device__ void fetch(uint4* place, const T* row, int n, const Group& group) {
#pragma unroll
    for (int k = 0; k < E / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        if (begin < n) __pipeline_memcpy_async(place + k * (blockDim.x * blockDim.y), row + begin, 16);
    }
}
template <int size, class T, int E, class Group>
__device__ void take(float (&values)[E], const uint4* place, int n, const Group& group, float none) {
#pragma unroll
    for (int k = 0; k < E / size; k++) {
        const int begin = (group.rank() + k * group.size()) * size;
        const uint4 raw = place[k * (blockDim.x * blockDim.y)];
        Pack<T, size> pack;
        memcpy(&pack, &raw, 16);
#pragma unroll
        for (int j = 0; j < size; j++) values[k * size + j] = begin < n ? float(pack.values[j]) : none;
    }
}

template <class Op, class T, int E, class Group, int mode>
__global__ void __launch_bounds__(MOST_THREADS) tuned(T* out, const T* a, const T* b, int64_t rows, int64_t n) {
    constexpr int size = Pack<T>::SIZE;
    const Group group;
    if constexpr (mode == ROW || mode == ROW_CS || mode == LATE) {
        const Row row(group.first_row() + threadIdx.y, rows, n);
        float x[E], y[E];
        load_u<size>(x, a + row.begin, row.n, group, Op::none);
        if (Op::arrays == 2) load_u<size>(y, b + row.begin, row.n, group, 0);
        if (Op::weight && mode != LATE) load_u<size>(y, b, int(n), group, 0);
        if constexpr (mode == LATE) {
            float squares = 0;
            for (float value : x) squares += value * value;
            squares = group.combine(float2{warp_sum(squares, group.lanes()), 0}).x;
            const float scale = 1 / sqrtf(squares / float(n) + EPS);
            load_u<size>(y, b, int(n), group, 0);
#pragma unroll
            for (int i = 0; i < E; i++) x[i] *= scale * y[i];
        } else {
            Op::apply(x, y, n, group);
        }
        if (mode == ROW_CS)
            store_cs<size>(out + row.begin, x, row.n, group);
        else
            store_u<size>(out + row.begin, x, row.n, group);
    } else if constexpr (mode == LOOP) {
        float x[E], y[E];
        if (Op::weight) load_u<size>(y, b, int(n), group, 0);
        for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
            const Row row(first + threadIdx.y, rows, n);
            load_u<size>(x, a + row.begin, row.n, group, Op::none);
            if (Op::arrays == 2) load_u<size>(y, b + row.begin, row.n, group, 0);
            Op::apply(x, y, n, group);
            store_u<size>(out + row.begin, x, row.n, group);
        }
    } else {
        extern __shared__ uint4 buffer[];
        const int threads = blockDim.x * blockDim.y;
        uint4 *place = buffer + threadIdx.y * blockDim.x + threadIdx.x, *second = place + threads * (E / size);
        float x[E], y[E];
        const auto next = [&](int64_t first) {
            const Row row(first + threadIdx.y, rows, n);
            fetch<size, E>(place, a + row.begin, row.n, group);
            if (Op::arrays == 2) fetch<size, E>(second, b + row.begin, row.n, group);
            __pipeline_commit();
        };
        next(group.first_row());
        if (Op::weight) load_u<size>(y, b, int(n), group, 0);
        for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
            const Row row(first + threadIdx.y, rows, n);
            __pipeline_wait_prior(0);
            take<size, T>(x, place, row.n, group, Op::none);
            if (Op::arrays == 2) take<size, T>(y, second, row.n, group, 0);
            if (first + group.rows_at_a_time() < rows) next(first + group.rows_at_a_time());
            Op::apply(x, y, n, group);
            store_u<size>(out + row.begin, x, row.n, group);
        }
    }
}

// rms_norm_backward with KEPT elements; transient: the weight is loaded anew for each row; prefetch as above.
template <class T, int E, class Group, bool transient, bool prefetch>
__global__ void __launch_bounds__(E > 8 ? 512 : 1024)
    tuned_backward(T* grad_x, float* partial, const T* grad, const T* x, const T* weight, int64_t rows, int64_t n) {
    constexpr int size = Pack<T>::SIZE;
    extern __shared__ uint4 buffer[];
    const Group group;
    uint4 *place = buffer + threadIdx.y * blockDim.x + threadIdx.x,
          *second = place + blockDim.x * blockDim.y * (E / size);
    float sums[E] = {}, g[E], v[E], w[E];
    const auto next = [&](int64_t first) {
        const Row row(first + threadIdx.y, rows, n);
        fetch<size, E>(place, grad + row.begin, row.n, group);
        fetch<size, E>(second, x + row.begin, row.n, group);
        __pipeline_commit();
    };
    if (prefetch) next(group.first_row());
    if (!transient) load<size>(w, weight, int(n), group, 0);
    for (int64_t first = group.first_row(); first < rows; first += group.rows_at_a_time()) {
        const Row row(first + threadIdx.y, rows, n);
        if (prefetch) {
            __pipeline_wait_prior(0);
            take<size, T>(g, place, row.n, group, 0);
            take<size, T>(v, second, row.n, group, 0);
            if (first + group.rows_at_a_time() < rows) next(first + group.rows_at_a_time());
        } else {
            load<size>(g, grad + row.begin, row.n, group, 0);
            load<size>(v, x + row.begin, row.n, group, 0);
        }
        if (transient) load<size>(w, weight, int(n), group, 0);
        float2 mine = {0, 0};
        for (int i = 0; i < E; i++) mine.x += v[i] * v[i], mine.y += g[i] * w[i] * v[i];
        const float2 all = group.combine(float2{warp_sum(mine.x, group.lanes()), warp_sum(mine.y, group.lanes())});
        if (row.n == 0) continue;
        const float scale = 1 / sqrtf(all.x / float(n) + EPS), shift = scale * scale * (all.y / float(n));
        if (transient) load<size>(w, weight, int(n), group, 0);
        for (int i = 0; i < E; i++) {
            sums[i] += g[i] * v[i] * scale;
            g[i] = scale * (g[i] * w[i] - v[i] * shift);
        }
        store<size>(grad_x + row.begin, g, row.n, group);
    }
    store<size>(partial + (group.first_row() + threadIdx.y) * n, sums, int(n), group);
}

// ---- timing and checking
// ---------------------------------------------------------------------------------------------
template <class T>
__global__ void fill(T* x, int64_t n, unsigned seed) {
    for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        unsigned h = unsigned(i) * 2654435761u ^ seed ^ unsigned(i >> 32);
        h ^= h >> 16, h *= 0x85ebca6b, h ^= h >> 13, h *= 0xc2b2ae35, h ^= h >> 16;
        x[i] = T((float(h) / 4294967296.0f - 0.5f) * 6);
    }
}
template <class T>
__global__ void differences(unsigned* count, const T* a, const T* b, int64_t n, float atol, float rtol) {
    for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        const float x = float(a[i]), y = float(b[i]);
        if (!(fabsf(x - y) <= atol + rtol * fabsf(y))) atomicAdd(count, 1u);
    }
}

static char* flush_memory;
static cudaEvent_t start_event, end_event;
static double copy_rate;
static int sms;

static double milliseconds(const std::function<void()>& call) {
    std::vector<float> times;
    for (int i = 0; i < 12; i++) {
        CHECK_CUDA(cudaMemsetAsync(flush_memory, i, size_t(768) << 20));
        CHECK_CUDA(cudaEventRecord(start_event));
        call();
        CHECK_CUDA(cudaEventRecord(end_event));
        CHECK_CUDA(cudaEventSynchronize(end_event));
        float ms = 0;
        CHECK_CUDA(cudaEventElapsedTime(&ms, start_event, end_event));
        if (i >= 2) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

template <class T>
struct Bench {
    T *a, *b, *weight, *out, *expected, *grad_weight, *expected_weight;
    float* partial;
    unsigned* count;
    int64_t rows, n;
    double best = 0;

    void report(const char* op, const char* what, int E, dim3 block, int cluster, const char* mode, int arrays,
                const std::function<void()>& call) {
        CHECK_CUDA(cudaMemset(out, 0xFF, rows * n * sizeof(T)));
        double ms;
        unsigned wrong = 0;
        try {
            call();
            CHECK_CUDA(cudaDeviceSynchronize());
            CHECK_CUDA(cudaMemset(count, 0, 4));
            differences<<<1024, 256>>>(count, out, expected, rows * n, 1e-5f, sizeof(T) == 4 ? 1e-4f : 0.02f);
            CHECK_CUDA(cudaMemcpy(&wrong, count, 4, cudaMemcpyDeviceToHost));
            ms = milliseconds(call);
        } catch (const std::exception& error) {
            std::printf("    %-20s E %2d  %4d x %2d threads  cluster %2d  %-10s  failed: %s\n", what, E, block.x,
                        block.y, cluster, mode, error.what());
            return;
        }
        const double rate = arrays * double(rows) * n * sizeof(T) / ms / 1e6;
        best = std::max(best, rate);
        std::printf("    %-20s E %2d  %4d x %2d threads  cluster %2d  %-10s %6.0f GB/s  %.3f%s\n", what, E, block.x,
                    block.y, cluster, mode, rate, rate / copy_rate, wrong ? "  *** wrong" : "");
        (void)op;
    }

    template <class Kernel, class... A>
    void go(Kernel kernel, dim3 block, int cluster, bool persistent, size_t shared, A... arguments) {
        int per_sm = 1;
        if (shared > 48 * 1024)
            CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)));
        if (cluster > 8) CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, int(block.x * block.y), shared));
        Choice choice = {cluster > 1 ? Step::cluster : Step::block, block, unsigned(cluster)};
        int64_t groups = (rows + block.y - 1) / block.y;
        if (persistent) groups = std::min<int64_t>(groups, std::max(1, sms * per_sm / cluster));
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = unsigned(groups * cluster), config.blockDim = block, config.dynamicSmemBytes = shared;
        config.attrs = &attribute, config.numAttrs = cluster > 1 ? 1 : 0;
        if (cluster > 1 && persistent) {  // as many as can be there at a time
            int clusters = 0;
            CHECK_CUDA(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
            if (clusters == 0) throw std::runtime_error("no such cluster fits");
            config.gridDim = unsigned(std::min<int64_t>(rows, clusters) * cluster);
            groups = config.gridDim.x / cluster;
        }
        groups_used = groups;
        CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
    }
    int64_t groups_used = 0;

    template <class Op, int E, int mode>
    void one(const char* name) {
        const int64_t needed = (n + E - 1) / E;
        const int arrays = Op::arrays + 1;
        const T* second = Op::weight ? weight : b;
        const auto shared = [&](dim3 block) {
            return mode == PREFETCH ? size_t(block.x) * block.y * E * sizeof(T) * Op::arrays : 0;
        };
        if (needed <= 32) {
            for (unsigned threads : {64u, 128u, 256u}) {
                const dim3 block(unsigned(needed), threads / unsigned(needed));
                report(name, "warp", E, block, 1, mode_names[mode], arrays, [&] {
                    go(tuned<Op, T, E, Warp, mode>, block, 1, mode == LOOP || mode == PREFETCH, shared(block), out, a,
                       second, rows, n);
                });
            }
        }
        if (needed >= 32 && needed <= 1024)
            report(name, "block", E, dim3(unsigned(needed)), 1, mode_names[mode], arrays, [&] {
                go(tuned<Op, T, E, Block, mode>, dim3(unsigned(needed)), 1, mode == LOOP || mode == PREFETCH,
                   shared(dim3(unsigned(needed))), out, a, second, rows, n);
            });
        for (int cluster : {2, 4, 8, 16}) {
            const int64_t threads = needed / cluster;
            if (needed < 512 || threads < 128 || threads > 1024) continue;
            report(name, "cluster", E, dim3(unsigned(threads)), cluster, mode_names[mode], arrays, [&] {
                go(tuned<Op, T, E, Cluster, mode>, dim3(unsigned(threads)), cluster, mode == LOOP || mode == PREFETCH,
                   shared(dim3(unsigned(threads))), out, a, second, rows, n);
            });
        }
    }

    template <int E, bool transient, bool prefetch>
    void one_backward() {
        const int64_t needed = (n + E - 1) / E, most = E > 8 ? 512 : 1024;
        const char* mode = transient ? prefetch ? "w+pre" : "w" : prefetch ? "prefetch" : "kept";
        const auto call = [&](auto kernel, dim3 block, int cluster) {
            const size_t shared = prefetch ? size_t(block.x) * block.y * E * sizeof(T) * 2 : 0;
            go(kernel, block, cluster, true, shared, out, partial, (const T*)a, (const T*)b, (const T*)weight, rows, n);
            launch_sum_rows(grad_weight, partial, groups_used * block.y, n, nullptr);
            CHECK_LAUNCH();
        };
        if (needed <= 32)
            for (unsigned threads : {64u, 128u, 256u, 512u}) {
                const dim3 block(unsigned(needed), threads / unsigned(needed));
                report("", "warp", E, block, 1, mode, 3,
                       [&] { call(tuned_backward<T, E, Warp, transient, prefetch>, block, 1); });
            }
        if (needed >= 32 && needed <= most)
            report("", "block", E, dim3(unsigned(needed)), 1, mode, 3,
                   [&] { call(tuned_backward<T, E, Block, transient, prefetch>, dim3(unsigned(needed)), 1); });
        for (int cluster : {2, 4, 8, 16}) {
            const int64_t threads = needed / cluster;
            if (needed < 512 || threads < 128 || threads > most) continue;
            report("", "cluster", E, dim3(unsigned(threads)), cluster, mode, 3,
                   [&] { call(tuned_backward<T, E, Cluster, transient, prefetch>, dim3(unsigned(threads)), cluster); });
        }
    }

    void head(const char* op) {
        best = 0;
        std::printf("%s %s %ld x %ld\n", op, sizeof(T) == 4 ? "float32" : "bfloat16", long(rows), long(n));
    }
    void tail() { std::printf("    best %.3f of copy\n", best / copy_rate), std::fflush(stdout); }

    void run(const std::string& wanted) {
        const auto is = [&](const char* op) { return wanted.empty() || wanted == op; };
        if (is("softmax")) {
            head("softmax");
            launch_softmax(expected, a, rows, n, Step::three_passes, nullptr);
            for (Step step : {Step::automatic, Step::online, Step::three_passes})
                report("",
                       step == Step::automatic ? "CHAPTER auto"
                       : step == Step::online  ? "online"
                                               : "three_passes",
                       16, 0, 0, "", 2, [&] { launch_softmax(out, a, rows, n, step, nullptr); });
            one<Softmax, 8, ROW>("softmax"), one<Softmax, 16, ROW>("softmax"), one<Softmax, 16, ROW_CS>("softmax");
            one<Softmax, 32, ROW>("softmax"), one<Softmax, 32, PREFETCH>("softmax");
            one<Softmax, 16, LOOP>("softmax"), one<Softmax, 16, PREFETCH>("softmax"),
                one<Softmax, 8, PREFETCH>("softmax");
            if (sizeof(T) == 2)
                one<SoftmaxFast, 16, ROW>("softmax, __expf"), one<SoftmaxFast, 16, PREFETCH>("softmax, __expf");
            tail();
        }
        if (is("rms_norm")) {
            head("rms_norm");
            launch_rms_norm(expected, a, weight, rows, n, EPS, Step::online, nullptr);
            for (Step step : {Step::automatic, Step::online})
                report("", step == Step::automatic ? "CHAPTER auto" : "online", 16, 0, 0, "", 2,
                       [&] { launch_rms_norm(out, a, weight, rows, n, EPS, step, nullptr); });
            one<RmsNorm, 8, ROW>(""), one<RmsNorm, 16, ROW>(""), one<RmsNorm, 16, ROW_CS>(""),
                one<RmsNorm, 16, LATE>(""), one<RmsNorm, 32, LATE>("");
            one<RmsNorm, 16, LOOP>(""), one<RmsNorm, 16, PREFETCH>("");
            tail();
        }
        if (is("softmax_backward")) {
            head("softmax_backward");
            launch_softmax_backward(expected, a, b, rows, n, Step::online, nullptr);
            for (Step step : {Step::automatic, Step::online})
                report("", step == Step::automatic ? "CHAPTER auto" : "online", 16, 0, 0, "", 3,
                       [&] { launch_softmax_backward(out, a, b, rows, n, step, nullptr); });
            one<SoftmaxBackward, 8, ROW>(""), one<SoftmaxBackward, 16, ROW>(""), one<SoftmaxBackward, 16, LOOP>("");
            one<SoftmaxBackward, 8, PREFETCH>(""), one<SoftmaxBackward, 16, PREFETCH>("");
            tail();
        }
        if (is("rms_norm_backward")) {
            head("rms_norm_backward");
            launch_rms_norm_backward(expected, expected_weight, partial, a, b, weight, rows, n, EPS, Step::online,
                                     nullptr);
            report("", "CHAPTER auto", 8, 0, 0, "", 3, [&] {
                launch_rms_norm_backward(out, grad_weight, partial, a, b, weight, rows, n, EPS, Step::automatic,
                                         nullptr);
            });
            one_backward<8, false, false>(), one_backward<8, false, true>(), one_backward<8, true, true>();
            one_backward<16, false, false>(), one_backward<16, true, false>(), one_backward<16, true, true>();
            tail();
        }
    }
};

template <class T>
static void all(const std::string& wanted) {
    const int64_t most = int64_t(1) << 28;
    Bench<T> bench;
    for (T** p : {&bench.a, &bench.b, &bench.out, &bench.expected}) CHECK_CUDA(cudaMalloc(p, most * sizeof(T)));
    for (T** p : {&bench.weight, &bench.grad_weight, &bench.expected_weight})
        CHECK_CUDA(cudaMalloc(p, (1 << 18) * sizeof(T)));
    CHECK_CUDA(cudaMalloc(&bench.partial, size_t(1) << 30));
    CHECK_CUDA(cudaMalloc(&bench.count, 4));
    fill<<<1024, 256>>>(bench.a, most, 1), fill<<<1024, 256>>>(bench.b, most, 2),
        fill<<<64, 256>>>(bench.weight, 1 << 18, 3);
    for (const auto& [rows, n] :
         {std::pair<int64_t, int64_t>{65536, 4096}, {8192, 32768}, {2048, 131072}, {524288, 512}}) {
        bench.rows = rows, bench.n = n;
        bench.run(wanted);
    }
    for (void* p : {(void*)bench.a, (void*)bench.b, (void*)bench.out, (void*)bench.expected, (void*)bench.weight,
                    (void*)bench.grad_weight, (void*)bench.expected_weight, (void*)bench.partial, (void*)bench.count})
        cudaFree(p);
}

int main(int count, char** arguments) {
    const std::string wanted = count > 1 ? arguments[1] : "";
    CHECK_CUDA(cudaMalloc(&flush_memory, size_t(768) << 20));
    CHECK_CUDA(cudaEventCreate(&start_event));
    CHECK_CUDA(cudaEventCreate(&end_event));
    CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    char *from, *to;
    const size_t bytes = size_t(1) << 30;
    CHECK_CUDA(cudaMalloc(&from, bytes));
    CHECK_CUDA(cudaMalloc(&to, bytes));
    copy_rate = 2.0 * bytes / milliseconds([&] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); }) / 1e6;
    cudaFree(from), cudaFree(to);
    std::printf("copy %.0f GB/s, %d multiprocessors\n", copy_rate, sms);
    all<float>(wanted);
    all<__nv_bfloat16>(wanted);
}
