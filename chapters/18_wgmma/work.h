// work.h: what a block of wgmma.cu, divided.cu or direct.cu has to do, and the ring of buffers of the first two.
#pragma once
#include <cstdint>

#include "../16_matmul/bands.h"
#include "device/hopper.h"
#include "operand.h"
#include "wgmma.h"

// What a kernel has to know besides its operands. steps: of 64 numbers along k. a_batched: 0 where all batches share a.
// If a cluster of `parts` blocks makes a tile together, each block does `each` of its steps.
template <class T>
struct Task {
    T* out;
    const T* bias;
    Activation f;
    int m, n, steps, a_batched, b_batched;
    int down, across, tiles, parts, each;
};

#ifdef HAS_WGMMA
// The tile's first row and column, and its batch.
struct Place {
    int row, column, batch;
};
template <int rows, int columns, int BAND>
__device__ Place place_of(int tile, int down, int across) {
    const TileAt at = tile_at(unsigned(tile % (down * across)), unsigned(down), unsigned(across), BAND);
    return {int(at.row) * rows, int(at.column) * columns, tile / (down * across)};
}

// STAGES buffers, each for a step: 64 numbers of each of ROWS rows of a and COLUMNS columns of b. Each buffer has two
// mbarriers: `full` says that it has come, `empty` that it was read. Those who copy and those who multiply go through
// the same steps, each with a Ring of its own: stage is the current buffer, phase the parity of its phase. READERS
// groups of a block read a buffer.
template <int ROWS, int COLUMNS, int STAGES, int CLUSTER, int READERS>
struct Ring {
    static constexpr int A_BYTES = ROWS * 128, STAGE_BYTES = A_BYTES + COLUMNS * 128;
    uint32_t memory, barriers;
    int stage = 0, phase = 0;

    __device__ uint32_t a() const { return memory + stage * STAGE_BYTES; }
    __device__ uint32_t b() const { return a() + A_BYTES; }
    __device__ uint32_t full() const { return barriers + 8 * stage; }
    __device__ uint32_t empty(int stage) const { return barriers + 8 * (STAGES + stage); }
    __device__ int previous() const { return (stage == 0 ? STAGES : stage) - 1; }
    __device__ void next() {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    }
    __device__ void skip(int steps) {  // which others do
        stage += steps;
        phase ^= stage / STAGES % 2;
        stage %= STAGES;
    }
    // One thread makes the barriers.
    __device__ void make_barriers() const {
        for (int i = 0; i < STAGES; i++) mbarrier_init(barriers + 8 * i, 1), mbarrier_init(empty(i), READERS * CLUSTER);
        fence_mbarrier_init();
    }

    // One thread copies the boxes of a step. Of b, each block of a cluster copies a part for all of them.
    template <bool a_along_k, bool b_along_k, class T>
    __device__ void load(const CUtensorMap* a_map, const CUtensorMap* b_map, const Task<T>& task, const Place& at,
                         int step, int rank) {
        wait_for_phase(empty(stage), phase ^ 1);  // at first, all buffers are empty
        mbarrier_arrive_expect(full(), STAGE_BYTES);
        for (int i = 0; i < ROWS; i += BOX)
            load_box<a_along_k>(a() + i * 128, a_map, at.row + i, step * BOX, task.a_batched * at.batch, full());
        for (int i = CLUSTER > 1 ? rank * BOX : 0; i < COLUMNS; i += CLUSTER * BOX)
            load_box<b_along_k, CLUSTER>(b() + i * 128, b_map, at.column + i, step * BOX, task.b_batched * at.batch,
                                         full());
        next();
    }

    // A group of 4 warps starts the products of a step, of HEIGHT times 64 rows of a from row 64 * box on. Then it
    // waits for those of the step before: some are always under way.
    template <class T, bool a_along_k, bool b_along_k, int HEIGHT, int sums>
    __device__ void multiply(float (&d)[HEIGHT][sums], int box) const {
        wait_for_phase(full(), phase);
        wgmma_fence();
#pragma unroll
        for (int h = 0; h < HEIGHT; h++) multiply_64<T, a_along_k, b_along_k>(d[h], a() + (box + h) * BOX_BYTES, b());
        wgmma_commit();
        wgmma_wait<1>();
    }

    // Thread i of the group tells block i of the cluster that the buffer before this one was read.
    __device__ void release_previous() const {
        const int thread = int(threadIdx.x % 128);
        if (thread >= CLUSTER) return;
        CLUSTER > 1 ? mbarrier_arrive_cluster(in_block(empty(previous()), thread)) : mbarrier_arrive(empty(previous()));
    }
};

// Stores four results of a thread: two neighbours, and those 8 rows below. row, column: within the tile.
template <class T>
__device__ void store_four(const Task<T>& task, const Place& at, int row, int column, const float* d) {
    column += at.column;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int y = at.row + row + 8 * i;
        T* const out = task.out + (int64_t(at.batch) * task.m + y) * task.n + column;
        if (y >= task.m || column >= task.n) continue;
        if (task.n % 2 == 0) {
            store_pair(out, d[2 * i], d[2 * i + 1]);
        } else {
            out[0] = T(d[2 * i]);
            if (column + 1 < task.n) out[1] = T(d[2 * i + 1]);
        }
    }
}
#endif
