// matmul.cu: the product of two float matrices on ordinary cores, step by step from one result a thread to 16 x 8. No
// torch header in here.
#include "matmul.h"

#include <cuda_pipeline.h>

#include <algorithm>

#include "common/cuda_check.h"
#include "common/shared_memory.h"
#include "device/pack.h"
#include "one_result.h"

// ---- many results a thread, in registers ---------------------------------------------------------------------------

constexpr int TILE_K = 16;  // columns of a's tile, rows of b's

// One load for four neighbours, which begin at a multiple of 16 bytes.
__device__ void load_four(float* to, const float* from) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}

// The results of a thread. A block has DOWN x ACROSS warps, a warp 4 x 8 threads, and a thread ROWS x COLUMNS results,
// in squares of 4 x 4. The 4 x 8 squares of a warp lie side by side, and the warp's next ones beyond them.
template <int DOWN, int ACROSS, int ROWS, int COLUMNS, int BLOCKS_>
struct Results {
    static constexpr int THREADS = DOWN * ACROSS * 32, TILE_ROWS = DOWN * 4 * ROWS, TILE_COLUMNS = ACROSS * 8 * COLUMNS;
    static constexpr int BLOCKS = BLOCKS_;  // must fit on a multiprocessor at a time

    // In shared memory. a's tile is transposed: for each k, the threads need a row of either tile. Thanks to the four
    // elements at the end of a row, a warp that transposes what it copies writes to 32 banks.
    struct Tiles {
        float a[TILE_K][TILE_ROWS + 4], b[TILE_K][TILE_COLUMNS + 4];
    };

    float sums[ROWS][COLUMNS] = {};
    int row, column;  // of the first result in the tile

    // Lanes 0 to 3 have a square of 2 x 2, the next four the one beside it. So neighbours in a warp need the same rows
    // of a's tile or the same columns of b's, and the loads of both take fewer passes.
    __device__ Results() {
        const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
        row = warp / ACROSS * 4 * ROWS + (lane / 16 * 2 + lane / 2 % 2) * 4;
        column = warp % ACROSS * 8 * COLUMNS + (lane / 4 % 4 * 2 + lane % 2) * 4;
    }

    // Adds the tiles' product: for each k, ROWS + COLUMNS floats from shared memory, and ROWS * COLUMNS products.
    __device__ void add(const Tiles& tiles) {
#pragma unroll
        for (int k = 0; k < TILE_K; k++) {
            float x[ROWS], y[COLUMNS];
            for (int i = 0; i < ROWS; i += 4) load_four(&x[i], &tiles.a[k][row + 4 * i]);
            for (int j = 0; j < COLUMNS; j += 4) load_four(&y[j], &tiles.b[k][column + 8 * j]);
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLUMNS; j++) sums[i][j] += x[i] * y[j];
        }
    }

    // Writes the results that lie within the matrix. From `out` on, it has `rows` more rows and `columns` more columns.
    __device__ void store(float* out, int64_t n, int rows, int columns) const {
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
            for (int j = 0; j < COLUMNS; j += 4) {
                const int r = row + i / 4 * 16 + i % 4, c = column + 8 * j;
                float* to = out + r * n + c;
                if (r >= rows || c >= columns) continue;
                if (n % 4 == 0)
                    *reinterpret_cast<float4*>(to) = {sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]};
                else
                    for (int l = 0; l < 4; l++)
                        if (c + l < columns) to[l] = sums[i][j + l];
            }
    }
};

// Starts writing SIZE elements to shared memory: `count` elements that lie at `from`, and then zeros.
template <int SIZE>
__device__ void copy_async(float* to, const float* from, int count) {
    __pipeline_memcpy_async(to, from, 4 * SIZE, 4 * (SIZE - count));
}

// One of the two matrices, seen as lines of k elements: the rows of a, or the columns of b. With ALONG_K, the elements
// of a line are neighbours in memory. Without, element l of a line and element l of the next line are.
template <bool ALONG_K>
struct Lines {
    Matrix<float> x;
    bool by_four;  // 16 bytes can be copied at a time

    explicit Lines(Matrix<float> m) : x(m), by_four(aligned(m.data) && m.stride % 4 == 0 && m.batch_stride % 4 == 0) {}

    // How far element k of a line lies from element 0 of line 0.
    __device__ int64_t offset(int64_t line, int64_t k) const {
        return ALONG_K ? line * x.stride + k : line + k * x.stride;
    }
    __device__ const float* at(int64_t line, int64_t k) const {
        return x.data + blockIdx.y * x.batch_stride + offset(line, k);
    }

    // Starts filling `to`, with a line in each column: `count` lines of k_left elements, if there is room for so many.
    // The rest becomes zeros.
    template <int LINES, int THREADS>
    __device__ void copy(float (*to)[LINES + 4], const float* from, int count, int k_left) const {
        if (count < LINES || k_left < TILE_K)
            copy_part<LINES, THREADS>(to, from, count, k_left);
        else if (ALONG_K || by_four)
            copy_whole<LINES, THREADS, ALONG_K ? 1 : 4>(to, from);
        else
            copy_whole<LINES, THREADS, 1>(to, from);
    }

    // A tile that lies within the matrix, SIZE elements at a time: without a comparison, and the addresses are sums.
    template <int LINES, int THREADS, int SIZE>
    __device__ void copy_whole(float (*to)[LINES + 4], const float* from) const {
        const int thread = int(threadIdx.x), warp = thread / 32, lane = thread % 32;
        if constexpr (ALONG_K) {  // a warp copies 8 elements, 32 bytes, of each of 4 lines
            constexpr int STEP = THREADS / 32 / (TILE_K / 8) * 4;
            const int line = warp / (TILE_K / 8) * 4 + lane / 8, l = warp % (TILE_K / 8) * 8 + lane % 8;
            from += offset(line, l);
#pragma unroll
            for (int i = 0; i < LINES; i += STEP, from += offset(STEP, 0)) copy_async<1>(&to[l][line + i], from, 1);
        } else {  // neighbours in a warp copy element l of neighbouring lines
            constexpr int STEP = THREADS * SIZE / LINES;
            const int line = thread % (LINES / SIZE) * SIZE, first = thread / (LINES / SIZE);
            from += offset(line, first);
#pragma unroll
            for (int l = 0; l < TILE_K; l += STEP, from += offset(0, STEP))
                copy_async<SIZE>(&to[first + l][line], from, SIZE);
        }
    }

    template <int LINES, int THREADS>
    __device__ void copy_part(float (*to)[LINES + 4], const float* from, int count, int k_left) const {
#pragma unroll 1
        for (int i = int(threadIdx.x); i < LINES * TILE_K; i += THREADS) {
            const int line = ALONG_K ? i / TILE_K : i % LINES, l = ALONG_K ? i % TILE_K : i / LINES;
            copy_async<1>(&to[l][line], from + offset(line, l), line < count && l < k_left);
        }
    }
};

// R: the block's Results. STAGES: how many tiles of a and b shared memory has room for. With one, the block copies,
// waits and multiplies in turn. With three, two are on their way while it multiplies.
template <class R, int STAGES, bool A_ALONG_K, bool B_ALONG_K>
__global__ __launch_bounds__(R::THREADS, R::BLOCKS) void registers_kernel(float* out, Lines<A_ALONG_K> a,
                                                                          Lines<B_ALONG_K> b, Shape s) {
    extern __shared__ float4 memory[];
    auto* tiles = reinterpret_cast<typename R::Tiles*>(memory);
    const Place tile = place_of(s, R::TILE_ROWS, R::TILE_COLUMNS);
    const int rows = min(s.m - tile.row, R::TILE_ROWS), columns = min(s.n - tile.column, R::TILE_COLUMNS);
    const int first = int(blockIdx.z) * s.parts.size;                                 // along k
    const float *next_a = a.at(tile.row, first), *next_b = b.at(tile.column, first);  // of the next copy
    s.k = min(s.k - first, s.parts.size);
    int k_left = s.k, slot = 0;  // elements of a line still to copy, and their place
    const auto copy = [&] {
        if (k_left > 0) {
            a.template copy<R::TILE_ROWS, R::THREADS>(tiles[slot].a, next_a, rows, k_left);
            b.template copy<R::TILE_COLUMNS, R::THREADS>(tiles[slot].b, next_b, columns, k_left);
        }
        __pipeline_commit();  // also an empty batch: the wait below counts one batch a round
        next_a += a.offset(0, TILE_K), next_b += b.offset(0, TILE_K), k_left -= TILE_K, slot = (slot + 1) % STAGES;
    };
    R results;
    for (int i = 0; i < STAGES - 1; i++) copy();
    for (int k = s.k; k > 0; k -= TILE_K) {
        if (STAGES == 1) copy();
        __pipeline_wait_prior(STAGES == 1 ? 0 : STAGES - 2);
        __syncthreads();  // all copies of this pair have come, and no thread reads the pair before it any more
        const int now = (slot + 1) % STAGES;
        if (STAGES > 1) copy();
        results.add(tiles[now]);
        if (STAGES == 1) __syncthreads();
    }
    results.store(&element(out, s, tile.row, tile.column), s.n, rows, columns);
}

// ---- the launch ----------------------------------------------------------------------------------------------------

template <class R>
static int64_t tiles_of(int64_t batches, Shape s) {
    return batches * tiles_of(s.m, R::TILE_ROWS) * tiles_of(s.n, R::TILE_COLUMNS);
}

template <class R, int STAGES, bool A_ALONG_K, bool B_ALONG_K>
static void launch(float* out, Matrix<float> a, Matrix<float> b, unsigned batches, Shape s, cudaStream_t stream) {
    const auto kernel = registers_kernel<R, STAGES, A_ALONG_K, B_ALONG_K>;
    const dim3 grid(unsigned(tiles_of<R>(1, s)), batches, unsigned(s.parts.count));
    allow_shared_memory(kernel);
    constexpr size_t bytes = STAGES * sizeof(typename R::Tiles);
    kernel<<<grid, R::THREADS, bytes, stream>>>(out, Lines<A_ALONG_K>(a), Lines<B_ALONG_K>(b), s);
    CHECK_LAUNCH();
}

template <class R, int STAGES>
static void launch(float* out, Matrix<float> a, Matrix<float> b, unsigned batches, Shape s, cudaStream_t stream) {
    const auto launch_layout = a.transposed
                                   ? b.transposed ? launch<R, STAGES, false, true> : launch<R, STAGES, false, false>
                               : b.transposed ? launch<R, STAGES, true, true>
                                              : launch<R, STAGES, true, false>;
    launch_layout(out, a, b, batches, s, stream);
}

using Medium = Results<4, 2, 8, 8, 2>;  // 128 x 128, 256 threads
using Large = Results<2, 4, 16, 8, 1>;  // 128 x 256, 256 threads
using Small = Results<2, 1, 8, 8, 4>;   // 64 x 64, 64 threads

// How many results the multiprocessor with the most tiles computes.
template <class R>
static int64_t time_of(int64_t batches, Shape s) {
    return (tiles_of<R>(batches, s) + multiprocessors() - 1) / multiprocessors() * R::TILE_ROWS * R::TILE_COLUMNS;
}

// Small tiles read each element of a and b more often, so they must save more than a sixth of the time.
static MatmulStep choice(MatmulStep step, int64_t batches, Shape s) {
    if (step != MatmulStep::automatic) return step;
    return time_of<Small>(batches, s) * 6 < time_of<Large>(batches, s) * 5 ? MatmulStep::divided : MatmulStep::large;
}

static Parts parts_of(MatmulStep step, int64_t batches, Shape s) {
    if (choice(step, batches, s) != MatmulStep::divided) return {s.k, 1};
    return parts_of(s.k, TILE_K, tiles_of<Small>(batches, s), multiprocessors() * Small::BLOCKS);
}

int64_t workspace_floats(int64_t batches, int64_t m, int64_t n, int64_t k, MatmulStep step) {
    const int parts = parts_of(step, batches, {int(m), int(n), int(k), {}}).count;
    return parts > 1 ? parts * batches * m * n : 0;
}

void launch_matmul(float* out, Matrix<float> a, Matrix<float> b, int64_t batches, int64_t m, int64_t n, int64_t k,
                   MatmulStep step, float* workspace, cudaStream_t stream) {
    Shape s = {int(m), int(n), int(k), {}};
    if (batches == 0 || m == 0 || n == 0) return;
    step = choice(step, batches, s), s.parts = parts_of(step, batches, s);
    const auto launch_step = step == MatmulStep::naive       ? launch<naive_kernel>
                             : step == MatmulStep::tile      ? launch<tile_kernel>
                             : step == MatmulStep::registers ? launch<Medium, 1>
                             : step == MatmulStep::stages    ? launch<Medium, 3>
                             : step == MatmulStep::large     ? launch<Large, 3>
                                                             : launch<Small, 3>;
    if (s.parts.count > 1) {
        launch_step(workspace, a, b, unsigned(batches), s, stream);
        return add_parts(out, workspace, batches * m * n, s.parts.count, stream);
    }
    constexpr int64_t MOST = 65535;  // a grid's limit in y
    for (; batches > 0; batches -= MOST) {
        launch_step(out, a, b, unsigned(std::min(batches, MOST)), s, stream);
        out += MOST * m * n, a.data += MOST * a.batch_stride, b.data += MOST * b.batch_stride;
    }
}
