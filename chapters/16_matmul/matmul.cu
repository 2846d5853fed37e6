// matmul.cu: the product of two float matrices on ordinary cores, step by step from one result a thread to 16 x 8. No
// torch header in here.
#include "matmul.h"

#include <cuda_pipeline.h>

#include <algorithm>

#include "common/cuda_check.h"
#include "common/shared_memory.h"
#include "lines.h"
#include "one_result.h"

// ---- many results a thread, in registers ---------------------------------------------------------------------------

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

    // In shared memory. a's tile is transposed: for each k, the threads need a row of either tile. Without the four
    // elements at the end of a row, a warp that transposes what it copies would write to one bank.
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

    // Adds the tiles' product: for each k, ROWS + COLUMNS floats from shared memory, and ROWS * COLUMNS products. Every
    // second row goes backwards, so that each product shares an operand with the one before it.
    __device__ void add(const Tiles& tiles) {
#pragma unroll
        for (int k = 0; k < TILE_K; k++) {
            float x[ROWS], y[COLUMNS];
            for (int i = 0; i < ROWS; i += 4) load_four(&x[i], &tiles.a[k][row + 4 * i]);
            for (int j = 0; j < COLUMNS; j += 4) load_four(&y[j], &tiles.b[k][column + 8 * j]);
            for (int i = 0; i < ROWS; i++)
                for (int n = 0; n < COLUMNS; n++) {
                    const int j = i % 2 ? COLUMNS - 1 - n : n;
                    sums[i][j] += x[i] * y[j];
                }
        }
    }

    // Writes the results that lie within the matrix. From `out` on, it has `rows` more rows and `columns` more columns.
    // `one` is 1, which nvcc does not know. The sums themselves would have to be in registers 0 to 3 of four, as a
    // float4 is, and so y[j] and sums[i][j] in the same of two banks. A product with x[i] from that bank too takes two
    // clocks.
    __device__ void store(float* out, int64_t n, int rows, int columns, float one) const {
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
            for (int j = 0; j < COLUMNS; j += 4) {
                const int r = row + i / 4 * 16 + i % 4, c = column + 8 * j;
                float* to = out + r * n + c;
                const float* x = &sums[i][j];
                if (r >= rows || c >= columns) continue;
                if (n % 4 == 0)
                    *reinterpret_cast<float4*>(to) = {one * x[0], one * x[1], one * x[2], one * x[3]};
                else
                    for (int l = 0; l < 4; l++)
                        if (c + l < columns) to[l] = one * x[l];
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
        __syncthreads();  // all copies of this pair have come, and no thread still reads the last pair
        const int now = (slot + 1) % STAGES;
        if (STAGES > 1) copy();
        results.add(tiles[now]);
        if (STAGES == 1) __syncthreads();
    }
    results.store(&element(out, s, tile.row, tile.column), s.n, rows, columns, s.one);
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
using Small = Results<2, 1, 8, 8, 6>;   // 64 x 64, 64 threads
using Tall = Results<4, 1, 8, 8, 4>;    // 128 x 64, 128 threads

// What a launch does, and an estimate of its time.
struct Plan {
    MatmulStep step;
    Parts parts;
    double time;
};

// In products: what the multiprocessor with the most blocks computes in its steps. Each step also waits, for as long as
// a tenth of a tile of 128 x 128 takes. With fewer than 128 threads, not all four schedulers have a warp. Blocks that
// begin together wait for their first copies, for about a step. Sums of parts are added later: a step and a half for
// each block. (These numbers, and the two factors below, are fitted to 370 times of 60 products on an H200.)
template <class R>
static double time_of(int64_t batches, Shape s, Parts parts, int64_t multiprocessors) {
    const int64_t blocks = (tiles_of<R>(batches, s) * parts.count + multiprocessors - 1) / multiprocessors;
    const double steps = tiles_of(parts.size, TILE_K), begins = double((blocks + R::BLOCKS - 1) / R::BLOCKS);
    const double step = std::max(double(blocks) + 25.0 / R::THREADS, 128.0 / R::THREADS);
    const double added = parts.count > 1 ? 1.5 * double(blocks) : 0;
    return (step * steps + begins + added) * R::TILE_ROWS * R::TILE_COLUMNS;
}

// With as many parts as blocks can run at the same time, or with half as many, and so on.
template <class R>
static Plan divided(MatmulStep step, double factor, int64_t batches, Shape s, int64_t multiprocessors) {
    Plan best = {step, {s.k, 1}, factor * time_of<R>(batches, s, {s.k, 1}, multiprocessors)};
    for (int64_t blocks = multiprocessors * R::BLOCKS;; blocks /= 2) {
        const Parts parts = parts_of(s.k, TILE_K, tiles_of<R>(batches, s), blocks);
        if (parts.count == 1) return best;
        const double time = factor * time_of<R>(batches, s, parts, multiprocessors);
        if (time < best.time) best = {step, parts, time};
    }
}

// Small tiles read each element of a and b more often, so that a product takes longer.
static Plan plan_for(MatmulStep step, int64_t batches, Shape s) {
    const Parts whole = {s.k, 1};
    if (step != MatmulStep::automatic && step != MatmulStep::divided) return {step, whole, 0};
    const int64_t here = multiprocessors();  // asked for once: a question to CUDA takes time
    const Plan stages = {MatmulStep::stages, whole, time_of<Medium>(batches, s, whole, here)};
    const Plan small = divided<Small>(MatmulStep::small, 1.07, batches, s, here);
    const Plan tall = divided<Tall>(MatmulStep::tall, 1.03, batches, s, here);
    const Plan best = small.time < tall.time ? small : tall;
    return step == MatmulStep::automatic && stages.time <= best.time ? stages : best;
}

int64_t workspace_floats(int64_t batches, int64_t m, int64_t n, int64_t k, MatmulStep step) {
    const int parts = plan_for(step, batches, {int(m), int(n), int(k), {}}).parts.count;
    return parts > 1 ? parts * batches * m * n : 0;
}

void launch_matmul(float* out, Matrix<float> a, Matrix<float> b, int64_t batches, int64_t m, int64_t n, int64_t k,
                   MatmulStep step, float* workspace, cudaStream_t stream) {
    Shape s = {int(m), int(n), int(k), {}};
    if (batches == 0 || m == 0 || n == 0) return;
    const Plan plan = plan_for(step, batches, s);
    step = plan.step, s.parts = plan.parts;
    const auto launch_step = step == MatmulStep::naive       ? launch<naive_kernel>
                             : step == MatmulStep::tile      ? launch<tile_kernel>
                             : step == MatmulStep::registers ? launch<Medium, 1>
                             : step == MatmulStep::stages    ? launch<Medium, 3>
                             : step == MatmulStep::large     ? launch<Large, 3>
                             : step == MatmulStep::tall      ? launch<Tall, 3>
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
