// TMA and bulk copies: boxes of one to five dimensions with every swizzle, edges, multicast, copies between blocks.
#include "hopper.h"
#include <cstring>
#include <cuda/barrier>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;

// Random boxes into shared memory, and from there into another tensor.
namespace boxes {

struct Place {
    int at[5];
};

template <int RANK>
__device__ void load(void* to, const CUtensorMap* map, uint64_t* bar, const int (&c)[5]) {
#define LOAD(n, coordinates, ...)                                             \
    if constexpr (RANK == n)                                                  \
    asm volatile("cp.async.bulk.tensor." #n                                   \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" \
                 " [%0], [%1, {" coordinates "}], [%2];" ::"r"(shared(to)),   \
                 "l"(map), "r"(shared(bar)), __VA_ARGS__                      \
                 : "memory")
    LOAD(1, "%3", "r"(c[0]));
    LOAD(2, "%3, %4", "r"(c[0]), "r"(c[1]));
    LOAD(3, "%3, %4, %5", "r"(c[0]), "r"(c[1]), "r"(c[2]));
    LOAD(4, "%3, %4, %5, %6", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
    LOAD(5, "%3, %4, %5, %6, %7", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
}
template <int RANK>
__device__ void store(const CUtensorMap* map, const void* from, const int (&c)[5]) {
#define STORE(n, coordinates, ...)                                                               \
    if constexpr (RANK == n)                                                                     \
    asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.bulk_group [%0, {" coordinates \
                 "}], [%1];" ::"l"(map),                                                         \
                 "r"(shared(from)), __VA_ARGS__                                                  \
                 : "memory")
    STORE(1, "%2", "r"(c[0]));
    STORE(2, "%2, %3", "r"(c[0]), "r"(c[1]));
    STORE(3, "%2, %3, %4", "r"(c[0]), "r"(c[1]), "r"(c[2]));
    STORE(4, "%2, %3, %4, %5", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
    STORE(5, "%2, %3, %4, %5, %6", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
}

template <int RANK>
__global__ void moves(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, Place load_at,
                      Place store_at, unsigned bytes, unsigned char* out) {
    extern __shared__ __align__(1024) unsigned char box[];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        barrier_init(&bar, 1);
        fence_barrier_init();
        asm volatile("prefetch.tensormap [%0];" ::"l"(&from) : "memory");
        barrier_expect(&bar, bytes);
        load<RANK>(box, &from, &bar, load_at.at);
    }
    __syncthreads();
    barrier_wait(&bar, 0);
    for (unsigned i = threadIdx.x; i < bytes; i += 32) out[i] = box[i];
    __syncthreads();
    if (threadIdx.x == 0) {  // what TMA has written needs no fence before TMA reads it
        store<RANK>(&to, box, store_at.at);
        bulk_commit();
        bulk_wait();
    }
}

template <int RANK>
void test(Random& random) {
    const CUtensorMapDataType types[] = {CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                                         CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64};
    const unsigned kind = random.below(4), element = 1u << kind, swizzle = random.below(4), unit = 16 / element;
    const unsigned row_bytes = swizzle ? 16u << swizzle : 16 * (1 + random.below(4));
    cuuint64_t sizes[5], strides[5] = {element};
    cuuint32_t box[5] = {row_bytes / element};
    Place load_at = {}, store_at = {};
    unsigned bytes = row_bytes;
    for (int i = 0; i < RANK; i++) {
        sizes[i] = i ? 1 + random.below(6) : unit * (1 + random.below(12)) - random.below(unit);
        if (i)
            strides[i] =
                i == 1 ? (sizes[0] * element + 15) / 16 * 16 + 16 * random.below(2) : strides[i - 1] * sizes[i - 1];
        if (i) box[i] = 1 + random.below(RANK > 3 ? 3 : 9), bytes *= box[i];
        load_at.at[i] = int(random.below(unsigned(sizes[i]) + box[i])) - int(box[i] / 2);
        store_at.at[i] = int(random.below(unsigned(sizes[i])));
        if (i == 0) load_at.at[0] = load_at.at[0] / int(unit) * int(unit), store_at.at[0] -= store_at.at[0] % int(unit);
    }
    const size_t all = strides[RANK - 1] * sizes[RANK - 1];
    auto *from = device_array<unsigned char>(all), *to = device_array<unsigned char>(all);
    auto* out = device_array<unsigned char>(bytes);
    for (size_t i = 0; i < all; i++) from[i] = static_cast<unsigned char>(1 + random.below(255));
    CUtensorMap map_from, map_to;
    EXPECT(encode(&map_from, types[kind], RANK, from, sizes, strides + 1, box, CUtensorMapSwizzle(swizzle)) ==
           CUDA_SUCCESS);
    EXPECT(encode(&map_to, types[kind], RANK, to, sizes, strides + 1, box, CUtensorMapSwizzle(swizzle)) ==
           CUDA_SUCCESS);
    moves<RANK><<<1, 32, bytes>>>(map_from, map_to, load_at, store_at, bytes, out);
    EXPECT_DONE();

    std::vector<unsigned char> expected(all);  // of the second tensor
    int wrong = 0;
    for (unsigned plain = 0; plain < bytes; plain++) {
        const unsigned place = swizzle ? plain ^ ((plain >> 7 & (row_bytes / 16 - 1)) << 4) : plain;
        unsigned left = plain / element;
        size_t source = 0, target = 0;
        bool has_source = true, has_target = true;
        for (int i = 0; i < RANK; left /= box[i], i++) {
            const int at = int(left % box[i]);
            has_source &= load_at.at[i] + at >= 0 && load_at.at[i] + at < int(sizes[i]);
            has_target &= store_at.at[i] + at < int(sizes[i]);
            source += size_t(load_at.at[i] + at) * strides[i], target += size_t(store_at.at[i] + at) * strides[i];
        }
        const unsigned char value = has_source ? from[source + plain % element] : 0;
        wrong += out[place] != value;
        if (has_target) expected[target + plain % element] = value;
    }
    EXPECT(wrong == 0);
    EXPECT(std::memcmp(to, expected.data(), all) == 0);
    cudaFree(from), cudaFree(to), cudaFree(out);
}

}  // namespace boxes

// cp.async.bulk without a map in a cluster of two: a block's own copy, one for both, and one from block to block.
namespace bulk {

constexpr unsigned words = 256;

__global__ void __cluster_dims__(2) kernel(const int* in, int* out) {
    __shared__ alignas(128) int own[words], both[words], from_other[words], mine[words];
    __shared__ alignas(16) int one[4];
    __shared__ uint64_t bar;
    const uint32_t rank = rank_in_cluster();
    if (threadIdx.x == 0) {
        barrier_init(&bar, 1);
        fence_barrier_init();
        barrier_expect(&bar, 3 * words * 4 + 16);
    }
    cluster_sync();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared(own)),
                     "l"(in + rank * words), "r"(words * 4), "r"(shared(&bar))
                     : "memory");
        if (rank == 1)
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                " [%0], [%1], %2, [%3], %4;" ::"r"(shared(both)),
                "l"(in + 2 * words), "r"(words * 4), "r"(shared(&bar)), "h"(uint16_t(3))
                : "memory");
    }
    for (unsigned i = threadIdx.x; i < words; i += 32) mine[i] = 1000 * int(rank) + int(i);
    fence_async();
    __syncwarp();
    if (threadIdx.x == 0)
        asm volatile(
            "{ .reg .b32 to, there, four;\n mapa.shared::cluster.u32 to, %0, %4;\n"
            "mapa.shared::cluster.u32 there, %3, %4;\n mapa.shared::cluster.u32 four, %5, %4;\n"
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [to], [%1], %2, [there];\n"
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [four], {%6, 0, 0, %7}, [there];\n}" ::"r"(
                shared(from_other)),
            "r"(shared(mine)), "r"(words * 4), "r"(shared(&bar)), "r"(1 - rank), "r"(shared(one)), "r"(rank), "r"(7)
            : "memory");
    barrier_wait(&bar, 0);
    for (unsigned i = threadIdx.x; i < words; i += 32) own[i] += 2 * both[i] + 3 * from_other[i] + one[0] + one[3];
    fence_async();
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + rank * words),
                     "r"(shared(own)), "r"(words * 4)
                     : "memory");
        bulk_commit();
        bulk_wait();
    }
    cluster_sync();
}

void test() {
    int *in = device_array<int>(3 * words), *out = device_array<int>(2 * words);
    for (unsigned i = 0; i < 3 * words; i++) in[i] = int(i * i);
    kernel<<<2, 32>>>(in, out);
    EXPECT_DONE();
    int wrong = 0;
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < int(words); i++)
            wrong += out[r * words + i] !=
                     in[r * words + i] + 2 * in[2 * words + i] + 3 * (1000 * (1 - r) + i) + (1 - r) + 7;
    EXPECT(wrong == 0);
}

}  // namespace bulk

// Each block of a cluster loads half of a tile for both. A block may only load again when both have read.
namespace multicast {

constexpr int tiles = 5;

__global__ void __cluster_dims__(2) kernel(const __grid_constant__ CUtensorMap map, float* out) {
    __shared__ alignas(1024) float tile[32 * 32];
    __shared__ uint64_t full, empty;
    const uint32_t rank = rank_in_cluster(), t = threadIdx.x;
    if (t == 0) barrier_init(&full, 1), barrier_init(&empty, 2), fence_barrier_init();
    cluster_sync();
    float sum = 0;
    for (int i = 0; i < tiles; i++) {
        if (t == 0) {
            barrier_wait(&empty, (i + 1) % 2);
            barrier_expect(&full, sizeof tile);
            tma_multicast(tile + rank * 16 * 32, &map, &full, 0, i * 32 + int(rank) * 16, 3);
        }
        barrier_wait(&full, i % 2);
        sum += tile[t * 32 + ((t % 8) ^ 1) * 4];  // element 4 of each row
        __syncwarp();
        if (t < 2) barrier_arrive_at(&empty, t);
    }
    out[rank * 32 + t] = sum;
    cluster_sync();  // nobody returns while the other arrives at its barrier
}

void test() {
    float *in = device_array<float>(tiles * 32 * 32), *out = device_array<float>(64);
    for (int i = 0; i < tiles * 32 * 32; i++) in[i] = float(i % 1001);
    kernel<<<2, 32>>>(
        matrix_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in, 4, 32, tiles * 32, 32, 16, CU_TENSOR_MAP_SWIZZLE_128B), out);
    EXPECT_DONE();
    for (int i = 0; i < 64; i++) {
        float sum = 0;
        for (int t = 0; t < tiles; t++) sum += in[(t * 32 + i % 32) * 32 + 4];
        EXPECT(out[i] == sum);
    }
}

}  // namespace multicast

// The same by the names of cuda::ptx, and by those of CUDA 12's guide. A box that begins at row -3 has three rows of 0.
namespace names {

namespace cde = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void by_ptx(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(1024) float tile[16 * 8];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        const int32_t at[] = {8, -3};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    for (int i = threadIdx.x; i < 128; i += 32) tile[i] *= 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
        const int32_t at[] = {0, 4};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

__global__ void by_guide(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(1024) float tile[16 * 8];
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, 32);
        cde::fence_proxy_async_shared_cta();
    }
    __syncwarp();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &from, 8, -3, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 128; i += 32) tile[i] *= 2;
    cde::fence_proxy_async_shared_cta();
    __syncwarp();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&to, 0, 4, tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

void test() {
    for (void (*kernel)(CUtensorMap, CUtensorMap) : {by_ptx, by_guide}) {
        float *from = device_array<float>(20 * 12), *to = device_array<float>(16 * 12);
        for (int i = 0; i < 20 * 12; i++) from[i] = float(i);
        kernel<<<1, 32>>>(
            matrix_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, from, 4, 20, 12, 16, 8, CU_TENSOR_MAP_SWIZZLE_64B),
            matrix_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, to, 4, 16, 12, 16, 8, CU_TENSOR_MAP_SWIZZLE_64B));
        EXPECT_DONE();
        int wrong = 0;
        for (int y = 0; y < 12; y++)
            for (int x = 0; x < 16; x++)
                wrong += to[y * 16 + x] != (y >= 7 && x + 8 < 20 ? 2 * from[(y - 7) * 20 + x + 8] : 0);
        EXPECT(wrong == 0);
    }
}

}  // namespace names

// What the driver refuses. Each line changes one thing of a map that it takes.
namespace maps {

struct Request {
    unsigned type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rank = 3;
    size_t offset = 0;  // of the tensor's address, and of the map's
    size_t map_offset = 0;
    cuuint64_t sizes[5] = {100, 50, 20, 1, 1}, strides[4] = {256, 12800, 256000, 256000};
    cuuint32_t box[5] = {64, 32, 2, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
    unsigned interleave = 0, swizzle = CU_TENSOR_MAP_SWIZZLE_128B, fill = 0;
};

template <class Change>
bool takes(Change change) {
    static char* memory = device_array<char>(1024);
    alignas(64) char maps[256];
    Request r;
    change(r);
    return driver_encode()(reinterpret_cast<CUtensorMap*>(maps + r.map_offset), CUtensorMapDataType(r.type), r.rank,
                           memory + r.offset, r.sizes, r.strides, r.box, r.steps, CUtensorMapInterleave(r.interleave),
                           CUtensorMapSwizzle(r.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                           CUtensorMapFloatOOBfill(r.fill)) == CUDA_SUCCESS;
}

void test() {
    EXPECT(takes([](Request&) {}));
    EXPECT(takes([](Request& r) { r.strides[0] = 192; }));  // rows may overlap
    EXPECT(takes([](Request& r) { r.offset = 16, r.fill = 1, r.steps[1] = 8; }));
    EXPECT(!takes([](Request& r) { r.offset = 8; }));
    EXPECT(!takes([](Request& r) { r.type = 99; }));
    EXPECT(!takes([](Request& r) { r.rank = 0; }));
    EXPECT(!takes([](Request& r) { r.rank = 6; }));
    EXPECT(!takes([](Request& r) { r.sizes[1] = 0; }));
    EXPECT(!takes([](Request& r) { r.sizes[1] = (1ull << 32) + 1; }));
    EXPECT(!takes([](Request& r) { r.strides[1] = 12808; }));
    EXPECT(!takes([](Request& r) { r.strides[1] = 1ull << 40; }));
    EXPECT(!takes([](Request& r) { r.box[1] = 0; }));
    EXPECT(!takes([](Request& r) { r.box[1] = 257; }));
    EXPECT(!takes([](Request& r) { r.box[0] = 60; }));                  // no multiple of 16 bytes
    EXPECT(!takes([](Request& r) { r.box[0] = 128; }));                 // more than the swizzle
    EXPECT(!takes([](Request& r) { r.box[1] = 256, r.box[2] = 20; }));  // more than shared memory
    EXPECT(!takes([](Request& r) { r.steps[1] = 0; }));
    EXPECT(!takes([](Request& r) { r.steps[1] = 9; }));
    EXPECT(!takes([](Request& r) { r.type = CU_TENSOR_MAP_DATA_TYPE_INT32, r.box[0] = 32, r.fill = 1; }));
    EXPECT(takes([](Request& r) { r.interleave = 1, r.box[0] = 8; }));
    EXPECT(!takes([](Request& r) { r.interleave = 1, r.box[0] = 12; }));
    EXPECT(!takes([](Request& r) { r.interleave = 1, r.rank = 2; }));
#ifdef CUDA_ON_CPU  // the manual asks for both; driver 580 of an H200 does not
    EXPECT(!takes([](Request& r) { r.map_offset = 32; }));
    EXPECT(!takes([](Request& r) { r.interleave = 2; }));  // wants the swizzle of 32 bytes
#endif
}

}  // namespace maps

int main() {
    Random random;
    for (int i = 0; i < 12; i++)
        boxes::test<1>(random), boxes::test<2>(random), boxes::test<3>(random), boxes::test<4>(random),
            boxes::test<5>(random);
    bulk::test();
    multicast::test();
    names::test();
    maps::test();
    return report();
}
