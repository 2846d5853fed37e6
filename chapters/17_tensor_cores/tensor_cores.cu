// tensor_cores.cu: the product of two matrices in half precision on the tensor cores of any GPU from compute capability
// 8.0 on, step by step: fragments, ldmatrix, stages. Sums are float. No torch header in here.
#include "tensor_cores.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "common/cuda_check.h"
#include "common/device_attribute.h"
#include "common/shared_memory.h"
#include "device/ptx_mma.h"
#include "choice.h"

// On older GPUs the kernels are empty, and never launched.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define TENSOR_CORES
#endif

// All kernels get b transposed, so that both a and b consist of lines of k elements.

// ---- step fragments: a warp has 16 x 8 results, and each lane loads what it needs from device memory ---------------

// Numbers l and l + 1 of a line, and zeros outside of the matrix.
template <class T>
__device__ uint32_t pair_of(Matrix<T> x, int64_t batch, int64_t line, int64_t l, int64_t lines, int64_t k) {
    const T* p = x.data + batch * x.batch_stride + (x.transposed ? l * x.stride + line : line * x.stride + l);
    T pair[] = {T(0.f), T(0.f)};
    if (line < lines && l < k) pair[0] = p[0];
    if (line < lines && l + 1 < k) pair[1] = p[x.transposed ? x.stride : 1];
    return as<uint32_t>(pair);
}

template <class T>
__global__ void __launch_bounds__(128) fragments_kernel(T* out, Matrix<T> a, Matrix<T> b, Shape s) {
#ifdef TENSOR_CORES
    const int warps = int(blockDim.x) / 32, warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    for (unsigned tile = blockIdx.x * warps + warp; tile < tiles_of(s, 16, 8); tile += gridDim.x * warps) {
        const Place at = place_of(tile, s, 16, 8);
        const int64_t row = at.row + lane / 4, column = at.column + lane / 4;
        float sums[4] = {};
        for (int64_t k = 0; k < s.k; k += 16) {
            const int64_t l = k + lane % 4 * 2;
            uint32_t x[4], y[2];
            for (int i = 0; i < 4; i++) x[i] = pair_of(a, at.batch, row + i % 2 * 8, l + i / 2 * 8, s.m, s.k);
            for (int i = 0; i < 2; i++) y[i] = pair_of(b, at.batch, column, l + i * 8, s.n, s.k);
            multiply<T>(sums, x, y[0], y[1]);
        }
        store_sums(out + at.batch * s.m * s.n, sums, row, at.column + lane % 4 * 2, s);
    }
#endif
}

// ---- step ldmatrix: a block has 128 x 128 results, and tiles of a and b in shared memory ---------------------------

// Copies, waits and multiplies in turn. The copies pass through registers, which takes any alignment.
template <class T, class Tile, bool A_ALONG_K, bool B_ALONG_K>
__global__ void __launch_bounds__(Tile::THREADS, Tile::BLOCKS)
    ldmatrix_kernel(T* out, Matrix<T> a, Matrix<T> b, Shape s) {
#ifdef TENSOR_CORES
    using Block = Warp<T, Tile, A_ALONG_K, B_ALONG_K>;
    extern __shared__ __align__(128) char memory[];
    const uint32_t a_tile = address_of(memory), b_tile = a_tile + Block::A::BYTES;
    const unsigned tiles = tiles_of(s, Tile::ROWS, Tile::COLUMNS);
    Block warp;
    typename Block::A a_lines = {a};
    typename Block::B b_lines = {b};
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const Place at = place_of(tile, s, Tile::ROWS, Tile::COLUMNS);
        a_lines.begin(at.batch, at.row, 0, s.m), b_lines.begin(at.batch, at.column, 0, s.n);
        warp.clear();
        for (int64_t k = 0; k < s.k; k += TILE_K) {
            a_lines.template copy<false>(a_tile, int(s.k - k)), b_lines.template copy<false>(b_tile, int(s.k - k));
            __syncthreads();  // the tiles are complete
            UNROLL for (int i = 0; i < TILE_K / 16; i++) warp.load(a_tile, i), warp.add(i);
            __syncthreads();  // no thread needs them any more
        }
        warp.store(out, at, s);
    }
#endif
}

// ---- step stages: while a block multiplies, the next tiles arrive --------------------------------------------------

// The copies run STAGES - 1 steps ahead of the products, also from one tile of results to the block's next one. Out is
// T, or float for the sums of parts of k.
template <class T, class Out, class Tile, bool A_ALONG_K, bool B_ALONG_K>
__global__ void __launch_bounds__(Tile::THREADS, Tile::BLOCKS)
    stages_kernel(Out* out, Matrix<T> a, Matrix<T> b, Shape s) {
#ifdef TENSOR_CORES
    using Block = Warp<T, Tile, A_ALONG_K, B_ALONG_K>;
    if (std::is_same_v<Out, T>) s.parts = {int(s.k), 1};  // known to nvcc, which has no registers to spare
    extern __shared__ __align__(128) char memory[];
    const unsigned tiles = tiles_of(s, Tile::ROWS, Tile::COLUMNS);
    const uint32_t first_stage = address_of(memory), end = first_stage + Tile::STAGES * Block::STAGE;
    const auto next = [&](uint32_t stage) { return stage + Block::STAGE == end ? first_stage : stage + Block::STAGE; };

    Block warp;
    typename Block::A a_lines = {a};
    typename Block::B b_lines = {b};
    int k_left = 0;             // to copy
    uint32_t to = first_stage;  // the next copies go there
    const auto begin = [&](unsigned tile) {
        const Place at = place_of(tile, s, Tile::ROWS, Tile::COLUMNS);
        a_lines.begin(at.batch, at.row, at.k, s.m), b_lines.begin(at.batch, at.column, at.k, s.n);
        k_left = tile < tiles ? min(int(s.k - at.k), s.parts.size) : 0;
    };
    const auto copy = [&] {  // the next TILE_K elements of each line, or zeros: then all steps are alike
        a_lines.template copy<true>(to, k_left), b_lines.template copy<true>(to + Block::A::BYTES, k_left);
        commit_copies();
        to = next(to), k_left -= TILE_K;
    };
    constexpr int AHEAD = Tile::STAGES - 1;
    const int steps = int(tiles_of(s.parts.size, TILE_K));
    begin(blockIdx.x);
    for (int i = 0; i < AHEAD; i++) copy();
    wait_for_copies<AHEAD - 1>();
    __syncthreads();
    uint32_t stage = first_stage;
    warp.load(stage, 0);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        warp.clear();
        // The last AHEAD steps copy the first ones of the block's next tile. A tile has at least AHEAD steps, some of
        // which may only add zeros.
        for (int part = 0; part < 2; part++) {
            for (int step = part == 0 ? AHEAD : steps - AHEAD; step < steps; step++) {
                UNROLL for (int i = 0; i < TILE_K / 16; i++) {
                    if (i == TILE_K / 16 - 1) {
                        wait_for_copies<AHEAD - 1>();
                        __syncthreads();  // the next tiles have come, for all threads, and none needs the old ones
                        stage = next(stage);
                    }
                    warp.load(stage, (i + 1) % (TILE_K / 16));
                    if (i == 0) copy();
                    warp.add(i);
                }
            }
            if (part == 0) begin(tile + gridDim.x);
        }
        warp.store(out, place_of(tile, s, Tile::ROWS, Tile::COLUMNS), s);
    }
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------

// A launch has at most 2^31 - 1 tiles, so that a tile's number has 32 bits. Of a larger batch, it has some matrices.
template <class T, class Out>
static void launch(void (*kernel)(Out*, Matrix<T>, Matrix<T>, Shape), int rows, int columns, int threads,
                   int64_t blocks, int bytes, Out* out, Matrix<T> a, Matrix<T> b, Shape s, cudaStream_t stream) {
    const int64_t tiles = int64_t(s.parts.count) * tiles_of(s.m, rows) * tiles_of(s.n, columns);
    const int64_t most = INT32_MAX / tiles;
    for (int64_t left = s.batches; left > 0; left -= most) {
        s.batches = std::min(left, most);
        kernel<<<unsigned(std::min(s.batches * tiles, blocks)), threads, bytes, stream>>>(out, a, b, s);
        CHECK_LAUNCH();
        out += most * s.m * s.n, a.data += most * a.batch_stride, b.data += most * b.batch_stride;
    }
}

template <class T, class Out, class Tile, bool A_ALONG_K, bool B_ALONG_K>
static void launch_tiles(Out* out, Matrix<T> a, Matrix<T> b, Shape s, cudaStream_t stream) {
    void (*kernel)(Out*, Matrix<T>, Matrix<T>, Shape);
    if constexpr (Tile::STAGES == 1)
        kernel = ldmatrix_kernel<T, Tile, A_ALONG_K, B_ALONG_K>;
    else
        kernel = stages_kernel<T, Out, Tile, A_ALONG_K, B_ALONG_K>;
    const int bytes = Tile::STAGES * Warp<T, Tile, A_ALONG_K, B_ALONG_K>::STAGE;
    if (allow_shared_memory(kernel) < bytes)
        throw std::runtime_error("this step needs more shared memory than this GPU has; auto takes less");
    launch(kernel, Tile::ROWS, Tile::COLUMNS, Tile::THREADS, multiprocessors() * Tile::BLOCKS, bytes, out, a, b, s,
           stream);
}

template <class T, class Out, class Tile>
static void launch_tiles(Out* out, Matrix<T> a, Matrix<T> b, Shape s, cudaStream_t stream) {
    (a.transposed   ? b.transposed ? launch_tiles<T, Out, Tile, false, false> : launch_tiles<T, Out, Tile, false, true>
     : b.transposed ? launch_tiles<T, Out, Tile, true, false>
                    : launch_tiles<T, Out, Tile, true, true>)(out, a, b, s, stream);
}

template <class T>
int64_t workspace_bytes(Matrix<T> a, Matrix<T> b, int64_t batches, int64_t m, int64_t n, int64_t k,
                        TensorCoreStep step) {
    if (batches == 0 || m == 0 || n == 0) return 0;
    const Plan<T> p = plan_for(a, b, {batches, m, n, k, {}}, step, true);
    return p.copied() * 2 + (p.parts.count > 1 ? p.parts.count * batches * m * n * 4 : 0);
}

template <class T>
void launch_tensor_cores(T* out, Matrix<T> a, Matrix<T> b, int64_t batches, int64_t m, int64_t n, int64_t k,
                         TensorCoreStep step, cudaStream_t stream, void* workspace) {
    Shape s = {batches, m, n, k, {int(k), 1}};
    if (batches == 0 || m == 0 || n == 0) return;
    if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 8)
        throw std::runtime_error("these tensor cores need a GPU of compute capability 8.0");
    Plan<T> p = plan_for(a, b, s, step, workspace != nullptr);
    launch_padding(p.a, p.b, static_cast<T*>(workspace), stream);
    a = p.a.x, b = p.b.x;
    b.transposed = !b.transposed;  // lines of k elements, as a's
    if (p.step == TensorCoreStep::fragments)
        return launch(fragments_kernel<T>, 16, 8, 128, 1 << 20, 0, out, a, b, s, stream);
    if (p.parts.count > 1) {
        float* parts = reinterpret_cast<float*>(static_cast<T*>(workspace) + p.copied());
        s.parts = p.parts;
        launch_tiles<T, float, Small>(parts, a, b, s, stream);
        return add_parts(out, parts, batches * m * n, p.parts.count, stream);
    }
    (p.step == TensorCoreStep::ldmatrix ? launch_tiles<T, T, OneStage>
     : p.step == TensorCoreStep::stages ? launch_tiles<T, T, Medium>
     : p.step == TensorCoreStep::large  ? launch_tiles<T, T, Large>
                                        : launch_tiles<T, T, Small>)(out, a, b, s, stream);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                                                 \
    template int64_t workspace_bytes(Matrix<T>, Matrix<T>, int64_t, int64_t, int64_t, int64_t, TensorCoreStep);     \
    template void launch_tensor_cores(T*, Matrix<T>, Matrix<T>, int64_t, int64_t, int64_t, int64_t, TensorCoreStep, \
                                      cudaStream_t, void*);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
