// Wrong uses of TMA and bulk copies: each with the message of CUDA on CPU, or with what it does to the result. The test
// knows the lines that are marked.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda/ptx>
#include <stdexcept>

namespace ptx = cuda::ptx;
using ptx::space_cluster, ptx::space_global, ptx::space_shared, ptx::sem_release, ptx::scope_cta;

constexpr unsigned columns = 32, rows = 8, bytes = columns * rows * 4;

struct Maps {  // of one tensor, 32 columns and 32 rows of floats
    CUtensorMap plain, swizzled, line, narrow, fills, steps, leaves, freed;
};

#define KERNEL(name) \
    __global__ void name([[maybe_unused]] const __grid_constant__ Maps maps, [[maybe_unused]] float* data)
#define TILE                                             \
    __shared__ alignas(1024) float tile[columns * rows]; \
    __shared__ uint64_t bar;                             \
    [[maybe_unused]] const unsigned t = threadIdx.x
#define INIT                                                                                            \
    if (t == 0) ptx::mbarrier_init(&bar, 1), ptx::fence_mbarrier_init(sem_release, ptx::scope_cluster); \
    __syncwarp()
#define EXPECT_BYTES(n) ptx::mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &bar, n)
#define LOAD(to, map, ...)                        \
    if (const int32_t at[] = __VA_ARGS__; t == 0) \
    EXPECT_BYTES(bytes), ptx::cp_async_bulk_tensor(space_cluster, space_global, to, &maps.map, at, &bar)
#define STORE(map, ...)                           \
    if (const int32_t at[] = __VA_ARGS__; t == 0) \
    ptx::cp_async_bulk_tensor(space_global, space_shared, &maps.map, at, tile), ptx::cp_async_bulk_commit_group()
#define WAIT(parity)                                       \
    while (!ptx::mbarrier_try_wait_parity(&bar, parity)) { \
    }
#define WAIT_STORE ptx::cp_async_bulk_wait_group(ptx::n32_t<0>())

// ---- the barrier ---------------------------------------------------------------------------------------------------
KERNEL(no_fence_after_init) {
    TILE;
    if (t == 0) ptx::mbarrier_init(&bar, 1);
    __syncwarp();
    LOAD(tile, plain, {0, 0});  // LINE no_fence_after_init
    WAIT(0);
}
KERNEL(too_many_bytes) {
    TILE;
    INIT;
    const int32_t at[] = {0, 0};
    if (t == 0)
        EXPECT_BYTES(bytes + 16), ptx::cp_async_bulk_tensor(space_cluster, space_global, tile, &maps.plain, at, &bar);
    WAIT(0);  // LINE too_many_bytes
}
KERNEL(too_few_bytes) {
    TILE;
    INIT;
    const int32_t at[] = {0, 0};
    if (t == 0)
        EXPECT_BYTES(bytes - 16), ptx::cp_async_bulk_tensor(space_cluster, space_global, tile, &maps.plain, at, &bar);
    WAIT(0);  // LINE too_few_bytes
}
KERNEL(wrong_parity) {  // the first phase has parity 0
    TILE;
    INIT;
    LOAD(tile, plain, {0, 0});
    WAIT(0);
    WAIT(1);  // LINE wrong_parity
}
KERNEL(nobody_loads) {
    TILE;
    INIT;
    WAIT(0);  // LINE nobody_loads
}
KERNEL(returns_early) {
    TILE;
    INIT;
    LOAD(tile, plain, {0, 0});  // LINE returns_early
}

// ---- the place in shared memory ------------------------------------------------------------------------------------
KERNEL(misaligned_tile) {
    TILE;
    INIT;
    LOAD(tile + 4, plain, {0, 0});  // LINE misaligned_tile
}
KERNEL(leaves_its_array) {
    TILE;
    INIT;
    LOAD(tile + 32, plain, {0, 0});  // LINE leaves_its_array
}
KERNEL(not_shared) {
    TILE;
    INIT;
    LOAD(data, plain, {0, 0});  // LINE not_shared
}
KERNEL(no_proxy_fence) {  // between ordinary stores and the store by TMA
    TILE;
    tile[t] = 1;
    __syncwarp();
    STORE(plain, {0, 0});  // LINE no_proxy_fence
    WAIT_STORE;
}
KERNEL(fence_of_global_memory) {  // and not of shared memory
    TILE;
    tile[t] = 1;
    ptx::fence_proxy_async(space_global);
    __syncwarp();
    STORE(plain, {0, 0});  // LINE fence_of_global_memory
    WAIT_STORE;
}
KERNEL(stores_what_is_not_there) {  // the load is not over
    TILE;
    INIT;
    LOAD(tile, plain, {0, 0});
    STORE(plain, {0, 8});  // LINE stores_what_is_not_there
    WAIT(0);
    WAIT_STORE;
}
KERNEL(no_wait_for_the_store) {
    TILE;
    for (unsigned i = t; i < columns * rows; i += 32) tile[i] = 1;
    ptx::fence_proxy_async(space_shared);
    __syncwarp();
    STORE(plain, {0, 0});  // LINE no_wait_for_the_store
}

// ---- the tensor map ------------------------------------------------------------------------------------------------
KERNEL(no_map) {
    TILE;
    INIT;
    const int32_t at[] = {0, 0};
    if (t == 0) ptx::cp_async_bulk_tensor(space_cluster, space_global, tile, data, at, &bar);  // LINE no_map
}
KERNEL(wrong_rank) {
    TILE;
    INIT;
    LOAD(tile, line, {0, 0});  // LINE wrong_rank
}
KERNEL(freed_tensor) {
    TILE;
    INIT;
    LOAD(tile, freed, {0, 0});  // LINE freed_tensor
}
KERNEL(wrong_strides) {
    TILE;
    INIT;
    LOAD(tile, leaves, {0, 24});  // LINE wrong_strides
}
KERNEL(narrow_box) {
    TILE;
    INIT;
    LOAD(tile, narrow, {0, 0});  // LINE narrow_box
}
KERNEL(unknown_nan) {
    TILE;
    INIT;
    LOAD(tile, fills, {0, 30});  // LINE unknown_nan
}
KERNEL(stores_with_steps) {
    TILE;
    ptx::fence_proxy_async(space_shared);
    STORE(steps, {0, 0});  // LINE stores_with_steps
}

// ---- the coordinates -----------------------------------------------------------------------------------------------
KERNEL(between_16_bytes) {
    TILE;
    INIT;
    LOAD(tile, plain, {2, 0});  // LINE between_16_bytes
}
KERNEL(stores_between_16_bytes) {
    TILE;
    ptx::fence_proxy_async(space_shared);
    STORE(plain, {2, 0});  // LINE stores_between_16_bytes
}
KERNEL(stores_at_a_negative_row) {
    TILE;
    ptx::fence_proxy_async(space_shared);
    STORE(plain, {0, -1});  // LINE stores_at_a_negative_row
}

// ---- without a map, and clusters -----------------------------------------------------------------------------------
KERNEL(no_multiple_of_16) {
    TILE;
    INIT;
    if (t == 0) ptx::cp_async_bulk(space_cluster, space_global, tile, data, 24, &bar);  // LINE no_multiple_of_16
}
KERNEL(misaligned_source) {
    TILE;
    INIT;
    if (t == 0) ptx::cp_async_bulk(space_cluster, space_global, tile, data + 1, 16, &bar);  // LINE misaligned_source
}
KERNEL(no_such_block) {
    TILE;
    INIT;
    if (t == 0) ptx::cp_async_bulk(space_cluster, space_global, tile, data, 16, &bar, 3);  // LINE no_such_block
}
KERNEL(waits_there) {  // at the other block's barrier
    TILE;
    INIT;
    ptx::barrier_cluster_arrive(), ptx::barrier_cluster_wait();
    const unsigned address = unsigned(__cvta_generic_to_shared(&bar));
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(address));
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%0], 0;}" ::"r"(there));  // LINE waits_there
}

// ---- no message: the result is wrong -------------------------------------------------------------------------------
KERNEL(no_wait) {  // reads what has not come
    TILE;
    INIT;
    LOAD(tile, plain, {0, 0});
    __syncwarp();
    if (t == 1) data[1024] = tile[5];
    __syncwarp();
    WAIT(0);
}
KERNEL(asked_once) {  // whether the copy is over
    TILE;
    INIT;
    LOAD(tile, plain, {0, 0});
    if (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    if (t == 1) data[1024] = tile[5];
    __syncwarp();
    WAIT(0);
}
KERNEL(overwrites) {  // what a store by TMA still reads
    TILE;
    for (unsigned i = t; i < columns * rows; i += 32) tile[i] = 1;
    ptx::fence_proxy_async(space_shared);
    __syncwarp();
    STORE(plain, {0, 0});
    if (t == 0) tile[5] = 2;
    WAIT_STORE;
    if (t == 0) data[1024] = data[5];
}
KERNEL(asks_two) {  // barriers in one loop, which is right
    __shared__ uint64_t first, second;
    if (threadIdx.x == 0) ptx::mbarrier_init(&first, 32), ptx::mbarrier_init(&second, 1);
    __syncwarp();
    ptx::mbarrier_arrive(&first);
    while (threadIdx.x == 31 && !ptx::mbarrier_try_wait_parity(&first, 0)) {
    }
    if (threadIdx.x == 31) ptx::mbarrier_arrive(&second);
    while (!ptx::mbarrier_try_wait_parity(&first, 0) || !ptx::mbarrier_try_wait_parity(&second, 0)) {
    }
    if (threadIdx.x == 0) data[1024] = 7;
}
KERNEL(right) {
    TILE;
    INIT;
    LOAD(tile, swizzled, {0, -2});
    WAIT(0);
    for (unsigned i = t; i < columns * rows; i += 32) tile[i] += 1;
    ptx::fence_proxy_async(space_shared);
    __syncwarp();
    STORE(swizzled, {0, 8});
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    if (t == 0) data[1024] = data[8 * columns + 5] + data[10 * columns + 5];
}

static void describe(CUtensorMap& map, float* data, CUtensorMapSwizzle swizzle, unsigned rank = 2,
                     unsigned box_columns = columns, unsigned box_rows = rows, unsigned row_bytes = 128,
                     unsigned step = 1, bool fills = false) {
    const cuuint64_t sizes[] = {columns, 32}, strides[] = {row_bytes};
    const cuuint32_t box[] = {box_columns, box_rows}, steps[] = {1, step};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, data, sizes, strides, box, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CUtensorMapFloatOOBfill(fills)))
        std::printf("refused\n");
}

int main() {
    float *data, *freed;
    cudaMallocManaged(&data, 1025 * sizeof(float)), cudaMalloc(&freed, 1024 * sizeof(float));
    Maps maps;
    constexpr auto none = CU_TENSOR_MAP_SWIZZLE_NONE, swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    describe(maps.plain, data, none), describe(maps.swizzled, data, swizzle), describe(maps.line, data, none, 1);
    describe(maps.narrow, data, swizzle, 2, 16), describe(maps.fills, data, none, 2, columns, rows, 128, 1, true);
    describe(maps.steps, data, none, 2, columns, rows, 128, 2),
        describe(maps.leaves, data, none, 2, columns, rows, 144);
    describe(maps.freed, freed, none);
    cudaFree(freed);
    const auto run = [&](const char* name, void (*kernel)(Maps, float*), unsigned blocks) {
        for (int i = 0; i < 1025; i++) data[i] = float(i);
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {blocks, 1, 1};
        const cudaLaunchConfig_t config = {blocks, 32, 0, nullptr, &attribute, 1};
        try {
            cudaLaunchKernelEx(&config, kernel, maps, data);
            std::printf("%s: %g\n", name, double(data[1024]));
        } catch (const std::runtime_error& error) {
            std::printf("%s: %s\n", name, error.what());
        }
    };
#define RUN(name) run(#name, name, 1)
    RUN(no_fence_after_init), RUN(too_many_bytes), RUN(too_few_bytes), RUN(wrong_parity), RUN(nobody_loads);
    RUN(returns_early), RUN(misaligned_tile), RUN(leaves_its_array), RUN(not_shared), RUN(no_proxy_fence);
    RUN(fence_of_global_memory), RUN(stores_what_is_not_there), RUN(no_wait_for_the_store), RUN(no_map),
        RUN(wrong_rank);
    RUN(freed_tensor), RUN(wrong_strides), RUN(narrow_box), RUN(unknown_nan), RUN(stores_with_steps);
    RUN(between_16_bytes), RUN(stores_between_16_bytes), RUN(stores_at_a_negative_row), RUN(no_multiple_of_16);
    RUN(misaligned_source), RUN(no_such_block), RUN(no_wait), RUN(asked_once), RUN(overwrites), RUN(right),
        RUN(asks_two);
    run("waits_there", waits_there, 2);
}
