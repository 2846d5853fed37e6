// store.cu: the end of attention. Threads write results to shared memory, from where TMA stores them. A block has two
// slots in turn: while TMA reads one, the threads write the other.
#include "store.h"

#include "common/tensor_map.h"
#include "device/hopper.h"

constexpr int ROWS = 64, THREADS = 128;  // of a slot, of a block

#ifdef HAS_WGMMA
// The thread's stores since the last call are a group. PTX ISA, cp.async.bulk.commit_group
__device__ void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Waits until all but the last LEFT of the thread's groups have read shared memory. PTX ISA, cp.async.bulk.wait_group
template <int LEFT>
__device__ void wait_for_reads() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

// Writes rows first to first + 63 of the result as TMA expects them: pack i of row r at place i ^ r % 8. TMA reads rows
// past the end as well, and drops them.
__device__ void write_rows(uint4 (&slot)[ROWS][8], const float* o, const float* sum, int first, int rows) {
    for (int i = int(threadIdx.x); i < ROWS * 8; i += THREADS) {
        const int row = i / 8, pack = i % 8;
        __half2 pairs[4] = {};
        for (int j = 0; j < 4 && first + row < rows; j++) {
            const float* from = o + int64_t(first + row) * 64 + pack * 8 + 2 * j;
            pairs[j] = __floats2half2_rn(from[0] / sum[first + row], from[1] / sum[first + row]);
        }
        memcpy(&slot[row][pack ^ row % 8], pairs, sizeof pairs);
    }
}
#endif

__global__ void __launch_bounds__(THREADS)
    store_kernel(const __grid_constant__ CUtensorMap out, const float* o, const float* sum, int rows) {
#ifdef HAS_WGMMA
    __shared__ __align__(1024) uint4 slots[2][ROWS][8];
    const bool stores = threadIdx.x == THREADS - 32;  // this thread of the last warp starts all stores
    for (int round = 0, first = int(blockIdx.x) * ROWS; first < rows; round++, first += int(gridDim.x) * ROWS) {
        uint4(&slot)[ROWS][8] = slots[round % 2];
        // your code
        write_rows(slot, o, sum, first, rows);
        __syncthreads();
        if (stores) {
            wait_for_reads<1>();
            tma_store(&out, address_of(slot), 0, first, 0, 0, 0);
            commit_stores();
        }
        // end of your code
    }
    if (stores) wait_for_reads<0>();
#endif
}

void launch_store(__half* out, const float* o, const float* sum, int rows, cudaStream_t stream) {
    if (rows == 0) return;
    const CUtensorMap map = tensor_map(out, {64, rows, 1, 1, 1}, {64, 64, 64, 64}, {64, ROWS, 1, 1, 1});
    store_kernel<<<2, THREADS, 0, stream>>>(map, o, sum, rows);
    CHECK_LAUNCH();
}
