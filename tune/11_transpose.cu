// tune.cu: times variants of chapter 11's transpose. Needs the repository's headers only:
//   nvcc -O3 -arch=sm_90 -std=c++17 -I. -Ichapters/11_transpose tune/11_transpose.cu -o tune11 && ./tune11   (from the
//   repository)
//   ./tune float 1     one type and one shape: 0 square, 1 tall, 2 odd, 3 even
// Columns: GB/s, fraction of a copy (cudaMemcpyAsync of 1 GiB), spread of the middle half, and "WRONG" where a result
// is.
#include "transpose.cu"

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

// ---- variants ------------------------------------------------------------------------------------------------------

template <int HINT>
__device__ uint4 load16(const void* p) {
    uint4 v;
    if (HINT == 1) return __ldcs(static_cast<const uint4*>(p));
    if (HINT == 2) {
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
        return v;
    }
    return *static_cast<const uint4*>(p);
}

template <int HINT>
__device__ void store16(void* p, uint4 v) {
    if (HINT == 1) return __stcs(static_cast<uint4*>(p), v);
    if (HINT == 2) return __stcg(static_cast<uint4*>(p), v);
    *static_cast<uint4*>(p) = v;
}

// Tiles in groups of G lines: down a group first, then across. G = 1: across; G = all: down.
struct Walk {
    unsigned line, column;
    int64_t matrix;
    __device__ Walk(unsigned down, unsigned across, unsigned G) {
        const unsigned b = blockIdx.x % (down * across);
        matrix = blockIdx.x / (down * across);
        if (G == 1) {
            line = b / across, column = b % across;
            return;
        }
        const unsigned group = b / (G * across), in_group = b % (G * across), high = min(G, down - group * G);
        line = group * G + in_group % high, column = in_group / high;
    }
};

// SX x SY squares of a tile (in x and in y), TY lines of threads: SY / TY squares a thread.
template <class T, int S, int TY, int LD, int ST>
__global__ void __launch_bounds__(S* TY) wide(T* out, const T* in, int64_t rows, int64_t columns, unsigned G) {
    constexpr int V = 16 / sizeof(T), EACH = S / TY;
    __shared__ uint4 shared[S * V][S];
    const Walk at(unsigned((rows + S * V - 1) / (S * V)), unsigned((columns + S * V - 1) / (S * V)), G);
    const int x = threadIdx.x;
    const int64_t row0 = int64_t(at.line) * S * V, column0 = int64_t(at.column) * S * V;
    in += at.matrix * rows * columns + row0 * columns + column0;
    out += at.matrix * rows * columns + column0 * rows + row0;
    union P {
        uint4 v;
        T e[V];
    };
    P packs[EACH][V];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int y = threadIdx.y + e * TY;
        if (row0 + y * V < rows && column0 + x * V < columns)
#pragma unroll
            for (int k = 0; k < V; k++) packs[e][k].v = load16<LD>(in + (y * V + k) * columns + x * V);
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int y = threadIdx.y + e * TY;
#pragma unroll
        for (int k = 0; k < V; k++) shared[y * V + k][x ^ (y % S)] = packs[e][k].v;
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int y = threadIdx.y + e * TY;
        if (column0 + y * V < columns && row0 + x * V < rows) {
            P mine[V];
#pragma unroll
            for (int k = 0; k < V; k++) mine[k].v = shared[x * V + k][y ^ x];
#pragma unroll
            for (int j = 0; j < V; j++) {
                P turned;
#pragma unroll
                for (int k = 0; k < V; k++) turned.e[k] = mine[k].e[j];
                store16<ST>(out + (y * V + j) * rows + x * V, turned.v);
            }
        }
    }
}

// No shared memory: a warp covers WX x 32 / WX squares.
template <class T, int WX, int ST>
__global__ void __launch_bounds__(256) registers(T* out, const T* in, int64_t rows, int64_t columns, unsigned G) {
    constexpr int V = 16 / sizeof(T), WY = 32 / WX;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;  // warps of a block below one another
    constexpr int high = WY * 8 * V, across = WX * V;
    const Walk at(unsigned((rows + high - 1) / high), unsigned((columns + across - 1) / across), G);
    const int64_t row = int64_t(at.line) * high + (warp * WY + lane / WX) * V,
                  column = int64_t(at.column) * across + lane % WX * V;
    if (row >= rows || column >= columns) return;
    in += at.matrix * rows * columns + row * columns + column;
    out += at.matrix * rows * columns + column * rows + row;
    union P {
        uint4 v;
        T e[V];
    };
    P mine[V];
#pragma unroll
    for (int k = 0; k < V; k++) mine[k].v = load16<0>(in + k * columns);
#pragma unroll
    for (int j = 0; j < V; j++) {
        P turned;
#pragma unroll
        for (int k = 0; k < V; k++) turned.e[k] = mine[k].e[j];
        store16<ST>(out + j * rows, turned.v);
    }
}

// Any address: W x H elements of a tile, LINES lines of threads.
template <class T, int W, int H, int LINES, int LD, int ST>
__global__ void __launch_bounds__(W* LINES) any(T* out, const T* in, int64_t rows, int64_t columns, unsigned G) {
    static_assert(W == H, "");
    constexpr int PAD = sizeof(T) < 4 ? 4 / sizeof(T) : 1, EACH = H / LINES;
    __shared__ T shared[H][W + PAD];
    const Walk at(unsigned((rows + H - 1) / H), unsigned((columns + W - 1) / W), G);
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t row0 = int64_t(at.line) * H, column0 = int64_t(at.column) * W;
    in += at.matrix * rows * columns + row0 * columns + column0;
    out += at.matrix * rows * columns + column0 * rows + row0;
    T values[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (row0 + y + k * LINES < rows && column0 + x < columns) {
            const T* p = in + (y + k * LINES) * columns + x;
            values[k] = LD ? __ldcs(p) : *p;
        }
#pragma unroll
    for (int k = 0; k < EACH; k++) shared[y + k * LINES][x] = values[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (column0 + y + k * LINES < columns && row0 + x < rows) {
            T* p = out + (y + k * LINES) * rows + x;
            if (ST)
                __stcs(p, shared[x][y + k * LINES]);
            else
                *p = shared[x][y + k * LINES];
        }
}

// ---- measuring -----------------------------------------------------------------------------------------------------

template <class T>
__global__ void fill(T* p, int64_t n) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
        p[i] = T((uint64_t(i) * 0x9E3779B97F4A7C15ull) >> (64 - 8 * sizeof(T)));
}

template <class T>
__global__ void compare(const T* out, const T* in, int64_t n, int64_t rows, int64_t columns, unsigned* wrong) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        const int64_t m = i / (rows * columns), j = i % (rows * columns), r = j / columns, c = j % columns;
        if (out[m * rows * columns + c * rows + r] != in[i]) atomicAdd(wrong, 1u);
    }
}

static void* flush_memory;
constexpr size_t flush_bytes = size_t(768) << 20;

struct Time {
    double median, spread;
};

template <class Run>
static Time time_of(Run run, int repeats = 20) {
    std::vector<cudaEvent_t> a(repeats), b(repeats);
    for (int i = 0; i < 2; i++) run();
    for (int i = 0; i < repeats; i++) {
        CHECK_CUDA(cudaEventCreate(&a[i]));
        CHECK_CUDA(cudaEventCreate(&b[i]));
        CHECK_CUDA(cudaMemsetAsync(flush_memory, i, flush_bytes));
        CHECK_CUDA(cudaEventRecord(a[i]));
        run();
        CHECK_CUDA(cudaEventRecord(b[i]));
    }
    CHECK_CUDA(cudaDeviceSynchronize());
    std::vector<double> times;
    for (int i = 0; i < repeats; i++) {
        float ms;
        CHECK_CUDA(cudaEventElapsedTime(&ms, a[i], b[i]));
        times.push_back(ms / 1e3);
        cudaEventDestroy(a[i]), cudaEventDestroy(b[i]);
    }
    std::sort(times.begin(), times.end());
    const double median = times[repeats / 2];
    return {median, (times[3 * repeats / 4] - times[repeats / 4]) / median};
}

static double copy_bandwidth;

template <class T>
struct Bench {
    int64_t matrices, rows, columns, n;
    T *in, *out;
    unsigned* wrong;

    void row(const char* name, const std::function<void()>& run) {
        CHECK_CUDA(cudaMemset(out, 0xA5, n * sizeof(T)));
        CHECK_CUDA(cudaMemset(wrong, 0, 4));
        run();
        compare<<<2048, 256>>>(out, in, n, rows, columns, wrong);
        unsigned count = 0;
        CHECK_CUDA(cudaMemcpy(&count, wrong, 4, cudaMemcpyDeviceToHost));
        const Time t = time_of(run);
        const double bandwidth = 2.0 * n * sizeof(T) / t.median;
        std::printf("  %-44s %9.1f us %8.0f GB/s  %.3f of copy  spread %4.1f %%%s\n", name, t.median * 1e6,
                    bandwidth / 1e9, bandwidth / copy_bandwidth, 100 * t.spread, count ? "  WRONG" : "");
        std::fflush(stdout);
    }

    bool packs() const { return rows % (16 / sizeof(T)) == 0 && columns % (16 / sizeof(T)) == 0; }
    unsigned tiles(int high, int across) const {
        return unsigned(matrices * ((rows + high - 1) / high) * ((columns + across - 1) / across));
    }

    template <int S, int TY, int LD, int ST>
    void wide_row(unsigned G = 1) {
        if (!packs()) return;
        constexpr int side_ = S * (16 / sizeof(T));
        const unsigned down = unsigned((rows + side_ - 1) / side_);
        char name[99];
        std::snprintf(name, 99, "wide S=%d TY=%d ld=%d st=%d group=%u", S, TY, LD, ST, std::min(G, down));
        row(name, [&] {
            wide<T, S, TY, LD, ST><<<tiles(side_, side_), dim3(S, TY)>>>(out, in, rows, columns, std::min(G, down));
        });
    }
    template <int WX, int ST>
    void registers_row(unsigned G = 1) {
        if (!packs()) return;
        constexpr int V = 16 / sizeof(T), high = 32 / WX * 8 * V, across = WX * V;
        char name[99];
        std::snprintf(name, 99, "registers WX=%d st=%d group=%u", WX, ST, G);
        row(name, [&] { registers<T, WX, ST><<<tiles(high, across), 256>>>(out, in, rows, columns, G); });
    }
    template <int W, int LINES, int LD, int ST>
    void any_row(unsigned G = 1) {
        const unsigned down = unsigned((rows + W - 1) / W);
        char name[99];
        std::snprintf(name, 99, "any %dx%d lines=%d ld=%d st=%d group=%u", W, W, LINES, LD, ST, std::min(G, down));
        row(name, [&] {
            any<T, W, W, LINES, LD, ST><<<tiles(W, W), dim3(W, LINES)>>>(out, in, rows, columns, std::min(G, down));
        });
    }

    void all(const char* type, int64_t m, int64_t r, int64_t c) {
        matrices = m, rows = r, columns = c, n = m * r * c;
        CHECK_CUDA(cudaMalloc(&in, n * sizeof(T)));
        CHECK_CUDA(cudaMalloc(&out, n * sizeof(T)));
        CHECK_CUDA(cudaMalloc(&wrong, 4));
        fill<<<2048, 256>>>(in, n);
        std::printf("%s, %ld x %ld x %ld\n", type, long(m), long(r), long(c));
        const Time t = time_of([&] { CHECK_CUDA(cudaMemcpyAsync(out, in, n * sizeof(T), cudaMemcpyDeviceToDevice)); });
        std::printf("  %-44s %9.1f us %8.0f GB/s\n", "copy of as much", t.median * 1e6,
                    2.0 * n * sizeof(T) / t.median / 1e9);
        row("chapter: naive", [&] { launch_transpose_naive(out, (const T*)in, m, r, c, 0); });
        row("chapter: tile", [&] { launch_transpose_tile(out, (const T*)in, m, r, c, 0); });
        row("chapter: padded", [&] { launch_transpose_padded(out, (const T*)in, m, r, c, 0); });
        row("chapter: swizzled", [&] { launch_transpose_swizzled(out, (const T*)in, m, r, c, 0); });
        row("chapter: rows", [&] { launch_transpose_rows(out, (const T*)in, m, r, c, 0); });
        row("chapter: transpose", [&] { launch_transpose(out, (const T*)in, m, r, c, 0); });
        // tile and threads
        wide_row<8, 8, 0, 0>();
        wide_row<8, 4, 0, 0>();
        if constexpr (sizeof(T) > 1) wide_row<16, 16, 0, 0>();
        if constexpr (sizeof(T) > 1) wide_row<16, 8, 0, 0>();
        if constexpr (sizeof(T) > 1) wide_row<16, 4, 0, 0>();
        if constexpr (sizeof(T) == 8) wide_row<32, 16, 0, 0>();
        if constexpr (sizeof(T) == 8) wide_row<32, 8, 0, 0>();
        // hints
        constexpr int S = squares<T>;
        wide_row<S, S, 0, 1>();
        wide_row<S, S, 0, 2>();
        wide_row<S, S, 1, 0>();
        wide_row<S, S, 1, 1>();
        wide_row<S, S, 2, 0>();
        wide_row<S, S, 2, 1>();
        // the order of the tiles
        for (unsigned G : {2u, 4u, 8u, 16u, 32u, 64u, 1u << 20}) wide_row<S, S, 0, 0>(G);
        for (unsigned G : {8u, 32u}) wide_row<S, S, 1, 1>(G);
        for (unsigned G : {8u, 32u}) wide_row<S, S / 2, 0, 0>(G);
        // without shared memory
        registers_row<2, 0>();
        registers_row<4, 0>();
        registers_row<8, 0>();
        registers_row<4, 1>();
        // any address
        any_row<32, 2, 0, 0>();
        any_row<32, 4, 0, 0>();
        any_row<32, 8, 0, 0>();
        any_row<64, 2, 0, 0>();
        any_row<64, 4, 0, 0>();
        any_row<64, 8, 0, 0>();
        any_row<64, 16, 0, 0>();
        if constexpr (sizeof(T) <= 2) any_row<128, 4, 0, 0>();
        if constexpr (sizeof(T) <= 2) any_row<128, 8, 0, 0>();
        any_row<64, 4, 0, 1>();
        any_row<64, 4, 1, 0>();
        any_row<64, 4, 1, 1>();
        for (unsigned G : {4u, 16u, 1u << 20}) any_row<64, 4, 0, 0>(G);
        CHECK_CUDA(cudaFree(in));
        CHECK_CUDA(cudaFree(out));
        CHECK_CUDA(cudaFree(wrong));
    }
};

static const char* wanted_type = "";
static int wanted_shape = -1;

template <class T>
static void type(const char* name, std::vector<int> which) {
    if (*wanted_type && std::strcmp(wanted_type, name)) return;
    const int64_t shapes[][3] = {{1, 16384, 16384}, {1, 65536, 4096}, {4, 4097, 8191}, {4, 4096, 8192}};
    for (int k : which)
        if (wanted_shape < 0 || wanted_shape == k) Bench<T>().all(name, shapes[k][0], shapes[k][1], shapes[k][2]);
}

int main(int count, char** arguments) try {
    if (count > 1) wanted_type = arguments[1];
    if (count > 2) wanted_shape = std::atoi(arguments[2]);
    cudaDeviceProp p;
    CHECK_CUDA(cudaGetDeviceProperties(&p, 0));
    CHECK_CUDA(cudaMalloc(&flush_memory, flush_bytes));
    void *a, *b;
    CHECK_CUDA(cudaMalloc(&a, 1 << 30));
    CHECK_CUDA(cudaMalloc(&b, 1 << 30));
    copy_bandwidth =
        2.0 * (1 << 30) / time_of([&] { CHECK_CUDA(cudaMemcpyAsync(b, a, 1 << 30, cudaMemcpyDeviceToDevice)); }).median;
    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(b));
    std::printf("%s, copy of 1 GiB: %.0f GB/s\n", p.name, copy_bandwidth / 1e9);
    type<uint32_t>("float", {0, 1, 2, 3});
    type<uint16_t>("half", {0, 1, 2, 3});
    type<uint8_t>("byte", {0, 2});
    type<uint64_t>("double", {0, 2});
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
