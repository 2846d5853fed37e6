// ladder.cu: three steps towards wgmma.cu. Each block makes one tile of out: TMA brings boxes of both operands into
// shared memory, wgmma multiplies them there. No torch header in here.
#include "ladder.h"

#include "common/shared_memory.h"

#include "common/grid.h"
#include "operand.h"

// Which tile a block makes: its first row and column, its batch, and that batch in a and b.
struct LadderPlace {
    int row, column, batch, a_batch, b_batch;
};
template <class T>
__device__ LadderPlace place_of(int64_t tile, int rows, int columns, const Ladder<T>& p) {
    const int64_t down = (p.m - 1) / rows + 1, across = (p.n - 1) / columns + 1;
    const int batch = int(tile / across / down);
    return {int(tile / across % down) * rows, int(tile % across) * columns, batch, p.a_batched * batch,
            p.b_batched * batch};
}

#ifdef HAS_WGMMA
// A thread's sums, as wgmma leaves them, go to memory in pairs. row, column: of the first of the group's 64 rows.
template <class T, int sums>
__device__ void store_pairs(T* out, const float (&d)[sums], int row, int column, int m, int n) {
    const int t = int(threadIdx.x) % 128;
    const bool in_pairs = n % 2 == 0 && reinterpret_cast<uintptr_t>(out) % 4 == 0;
#pragma unroll
    for (int i = 0; i < sums; i += 2) {
        const int r = row + t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, c = column + t % 4 * 2 + i / 4 * 8;
        if (r >= m || c >= n) continue;
        T* to = out + int64_t(r) * n + c;
        if (in_pairs) {
            store_pair(to, d[i], d[i + 1]);
        } else {
            to[0] = T(d[i]);
            if (c + 1 < n) to[1] = T(d[i + 1]);
        }
    }
}
#endif

// ---- first: a tile of 64 x 64, a warpgroup, one buffer -------------------------------------------------------------
template <class T, bool a_along_k, bool b_along_k>
__global__ void __launch_bounds__(128)
    first_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, Ladder<T> p) {
#ifdef HAS_WGMMA
    __shared__ __align__(1024) char a[BOX_BYTES], b[BOX_BYTES];
    __shared__ uint64_t barrier;
    const uint32_t full = address_of(&barrier);
    const LadderPlace at = place_of(blockIdx.x, 64, 64, p);
    if (threadIdx.x == 0) mbarrier_init(full, 1), fence_mbarrier_init();  // one thread arrives in each phase
    __syncthreads();
    float sums[32] = {};
    for (int step = 0; step < p.steps; step++) {  // of 64 numbers along k
        if (threadIdx.x == 0) {
            mbarrier_arrive_expect(full, 2 * BOX_BYTES);
            load_box<a_along_k>(address_of(a), &a_map, at.row, step * BOX, at.a_batch, full);
            load_box<b_along_k>(address_of(b), &b_map, at.column, step * BOX, at.b_batch, full);
        }
        wait_for_phase(full, step % 2);
        wgmma_fence();
        multiply_64<T, a_along_k, b_along_k>(sums, address_of(a), address_of(b));
        wgmma_commit();
        wgmma_wait<0>();
        __syncthreads();  // all four warps have multiplied: the next boxes may come
    }
    store_pairs(p.out + int64_t(at.batch) * p.m * p.n, sums, at.row, at.column, p.m, p.n);
#endif
}

// ---- larger: a tile of 128 x 128, two warpgroups, one buffer -------------------------------------------------------
template <class T, bool a_along_k, bool b_along_k>
__global__ void __launch_bounds__(256)
    larger_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, Ladder<T> p) {
#ifdef HAS_WGMMA
    __shared__ __align__(1024) char a[2 * BOX_BYTES], b[2 * BOX_BYTES];
    __shared__ uint64_t barrier;
    const uint32_t full = address_of(&barrier), group = threadIdx.x / 128;
    const LadderPlace at = place_of(blockIdx.x, 128, 128, p);
    if (threadIdx.x == 0) mbarrier_init(full, 1), fence_mbarrier_init();
    __syncthreads();
    float sums[64] = {};
    for (int step = 0; step < p.steps; step++) {
        if (threadIdx.x == 0) {
            mbarrier_arrive_expect(full, 4 * BOX_BYTES);
            for (int i = 0; i < 2; i++) {
                load_box<a_along_k>(address_of(a) + i * BOX_BYTES, &a_map, at.row + i * BOX, step * BOX, at.a_batch,
                                    full);
                load_box<b_along_k>(address_of(b) + i * BOX_BYTES, &b_map, at.column + i * BOX, step * BOX, at.b_batch,
                                    full);
            }
        }
        wait_for_phase(full, step % 2);
        wgmma_fence();
        multiply_64<T, a_along_k, b_along_k>(sums, address_of(a) + group * BOX_BYTES, address_of(b));
        wgmma_commit();
        wgmma_wait<0>();
        __syncthreads();
    }
    store_pairs(p.out + int64_t(at.batch) * p.m * p.n, sums, at.row + int(group) * 64, at.column, p.m, p.n);
#endif
}

// ---- ring: the same tile; a warp copies, up to STAGES steps ahead of the warpgroups that multiply ------------------
constexpr int STAGES = 4, STAGE_BYTES = 4 * BOX_BYTES;

template <class T, bool a_along_k, bool b_along_k>
__global__ void __launch_bounds__(288)
    ring_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, Ladder<T> p) {
#ifdef HAS_WGMMA
    extern __shared__ __align__(1024) char memory[];
    __shared__ uint64_t barriers[2 * STAGES];
    const int group = int(threadIdx.x) / 128;
    const auto full = [&](int step) { return address_of(&barriers[step % STAGES]); };
    const auto empty = [&](int step) { return address_of(&barriers[STAGES + step % STAGES]); };
    const auto buffer = [&](int step) { return address_of(memory) + step % STAGES * STAGE_BYTES; };
    const LadderPlace at = place_of(blockIdx.x, 128, 128, p);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) mbarrier_init(full(i), 1), mbarrier_init(empty(i), 2);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (group == 2) {  // the copying warp
        for (int step = 0; step < p.steps && threadIdx.x == 256; step++) {
            wait_for_phase(empty(step), (step / STAGES + 1) % 2);  // the first round finds all buffers empty
            mbarrier_arrive_expect(full(step), STAGE_BYTES);
            for (int i = 0; i < 2; i++) {
                load_box<a_along_k>(buffer(step) + i * BOX_BYTES, &a_map, at.row + i * BOX, step * BOX, at.a_batch,
                                    full(step));
                load_box<b_along_k>(buffer(step) + (2 + i) * BOX_BYTES, &b_map, at.column + i * BOX, step * BOX,
                                    at.b_batch, full(step));
            }
        }
        return;
    }
    float sums[64] = {};
    for (int step = 0; step < p.steps; step++) {  // the warpgroups that multiply
        wait_for_phase(full(step), step / STAGES % 2);
        wgmma_fence();
        multiply_64<T, a_along_k, b_along_k>(sums, buffer(step) + group * BOX_BYTES, buffer(step) + 2 * BOX_BYTES);
        wgmma_commit();
        wgmma_wait<0>();
        if (threadIdx.x % 128 == 0) mbarrier_arrive(empty(step));  // this warpgroup has read the buffer
    }
    store_pairs(p.out + int64_t(at.batch) * p.m * p.n, sums, at.row + group * 64, at.column, p.m, p.n);
#endif
}

// ---- the launch ----------------------------------------------------------------------------------------------------
template <class T>
bool launch_ladder(const std::string& step, const CUtensorMap& a, const CUtensorMap& b, bool a_along_k, bool b_along_k,
                   const Ladder<T>& p, int64_t batches, cudaStream_t stream) {
    if (step != "first" && step != "larger" && step != "ring") return false;
    const int side = step == "first" ? 64 : 128;
    const int64_t tiles = batches * ((p.m + int64_t(side) - 1) / side) * ((p.n + int64_t(side) - 1) / side);
    with_layout(a_along_k, b_along_k, [&](auto a_is, auto b_is) {
        constexpr bool A = decltype(a_is)::value, B = decltype(b_is)::value;
        const unsigned blocks = blocks_for(tiles, 1);
        if (step == "first") {
            first_kernel<T, A, B><<<blocks, 128, 0, stream>>>(a, b, p);
        } else if (step == "larger") {
            larger_kernel<T, A, B><<<blocks, 256, 0, stream>>>(a, b, p);
        } else {
            allow_shared_memory(ring_kernel<T, A, B>);
            ring_kernel<T, A, B><<<blocks, 288, STAGES * STAGE_BYTES, stream>>>(a, b, p);
        }
        CHECK_LAUNCH();
    });
    return true;
}

#define FOR_TYPE(T)                                                                                     \
    template bool launch_ladder(const std::string&, const CUtensorMap&, const CUtensorMap&, bool, bool, \
                                const Ladder<T>&, int64_t, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
