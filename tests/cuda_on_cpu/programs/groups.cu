// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <type_traits>

#include "expect.h"

namespace cg = cooperative_groups;

// thread_block, and any group as a thread_group.
namespace blocks {

// As in NVIDIA's introduction: works for a block and for a tile of it.
__device__ int sum(cg::thread_group g, int* x, int value) {
    const int lane = int(g.thread_rank());
    for (int i = int(g.size()) / 2; i > 0; i /= 2) {
        x[lane] = value;
        g.sync();
        if (lane < i) value += x[lane + i];
        g.sync();
    }
    return value;
}

__global__ void sums(int* of_block, int* of_tiles) {
    __shared__ int x[64];
    const cg::thread_block block = cg::this_thread_block();
    const int t = int(block.thread_rank());
    const int all = sum(block, x, t);
    if (t == 0) of_block[block.group_index().x] = all;
    const cg::thread_group tile = cg::tiled_partition(block, 8);
    const int some = sum(tile, x + t / 8 * 8, t);
    if (tile.thread_rank() == 0) of_tiles[t / 8] = some;
}

__global__ void names(unsigned* bad) {
    auto block = cg::this_thread_block();
    const unsigned rank = threadIdx.x + 4 * (threadIdx.y + 3 * threadIdx.z);
    bool ok = block.size() == 24 && block.num_threads() == 24 && block.thread_rank() == rank;
    ok = ok && block.group_index().y == blockIdx.y && block.thread_index().z == threadIdx.z;
    ok = ok && block.group_dim().x == 4 && block.dim_threads().y == 3 && cg::group_size(block) == 24;
    ok = ok && cg::thread_rank(block) == rank && cg::thread_block::size() == 24;

    auto grid = cg::this_grid();
    const unsigned number = blockIdx.x + 2 * blockIdx.y;
    ok = ok && !grid.is_valid() && grid.size() == 144 && grid.num_threads() == 144 && grid.num_blocks() == 6;
    ok = ok && grid.block_rank() == number && grid.thread_rank() == number * 24 + rank && grid.dim_blocks().y == 3;
    ok = ok && grid.thread_index().y == blockIdx.y * 3 + threadIdx.y && grid.dim_threads().x == 8;
    ok = ok && grid.block_index().x == blockIdx.x && grid.group_dim().x == 2;

    __shared__ int arrived;
    if (rank == 0) arrived = 0;
    cg::sync(block);
    atomicAdd(&arrived, 1);
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    if (!ok || arrived != 24 || cg::this_thread().size() != 1) atomicAdd(bad, 1);
}

void test() {
    int *of_block = device_array<int>(3), *of_tiles = device_array<int>(8);
    sums<<<3, 64>>>(of_block, of_tiles);
    EXPECT_DONE();
    for (int b = 0; b < 3; b++) EXPECT(of_block[b] == 2016);
    for (int i = 0; i < 8; i++) EXPECT(of_tiles[i] == 64 * i + 28);
    unsigned* bad = device_array<unsigned>(1);
    names<<<dim3(2, 3), dim3(4, 3, 2)>>>(bad);
    EXPECT_DONE();
    EXPECT(*bad == 0);
}

}  // namespace blocks

// thread_block_tile of 1 to 32 threads: each thread counts what is not as it should be.
namespace tiles {

struct Three {  // 12 bytes
    int a;
    float b;
    short c;
};
struct Large {  // 32 bytes
    double d[4];
};

template <class Tile>
__device__ unsigned shuffles(Tile tile) {
    const unsigned t = threadIdx.x, size = Tile::size(), rank = tile.thread_rank(), first = t - rank;
    unsigned bad = size != tile.num_threads() || rank != t % size;
    bad += tile.shfl(t, 1) != first + 1 % size;
    bad += tile.shfl(t, size + 1) != first + 1 % size;
    bad += tile.shfl_up(t, 1) != (rank >= 1 ? t - 1 : t);
    bad += tile.shfl_down(t, 2) != (rank + 2 < size ? t + 2 : t);
    bad += tile.shfl_xor(t, size / 2) != (t ^ size / 2);
    bad += tile.shfl((unsigned char)(t + 1), 0) != (unsigned char)(first + 1);
    bad += tile.shfl(-1.5 * t, 0) != -1.5 * first;
    const Three three = tile.shfl(Three{int(t), t + 0.5f, short(-int(t))}, size - 1);
    const unsigned last = first + size - 1;
    bad += three.a != int(last) || three.b != last + 0.5f || three.c != -int(last);
    const Large large = tile.shfl_xor(Large{{1. * t, 2. * t, 3. * t, 4. * t}}, size - 1);
    const unsigned mirror = first + size - 1 - rank;
    for (int i = 0; i < 4; i++) bad += large.d[i] != (i + 1.) * mirror;
    return bad;
}

template <class Tile>
__device__ unsigned votes(Tile tile) {
    const unsigned t = threadIdx.x, size = Tile::size(), rank = tile.thread_rank();
    const unsigned full = size == 32 ? ~0u : (1u << size) - 1;
    unsigned bad = tile.any(rank == 0) != 1;
    bad += tile.any(0) != 0 || tile.all(1) != 1 || tile.all(rank != size - 1) != 0;
    bad += tile.ballot(rank % 2 == 0) != (0x55555555u & full);
    bad += tile.match_any(rank % 2) != ((rank % 2 ? 0xaaaaaaaau : 0x55555555u) & full);
    bad += tile.match_any(0.5f) != full;
    int all = -1;
    bad += tile.match_all(7ll, all) != full || all != 1;
    if (size > 1) bad += tile.match_all(rank, all) != 0 || all != 0;
    tile.sync();
    cg::sync(tile);
    return bad + (t > 1000);
}

template <unsigned Size>
__device__ unsigned test_tile() {
    const unsigned t = threadIdx.x;
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    unsigned bad = shuffles(tile) + votes(tile);
    bad += tile.meta_group_rank() != t / Size || tile.meta_group_size() != 96 / Size;

    cg::thread_block_tile<Size> any = tile;  // without its parent, and as a thread_group
    cg::thread_group group = tile;
    bad += shuffles(any) + votes(any);
    bad += any.meta_group_rank() != t / Size || any.meta_group_size() != 96 / Size;
    bad += group.size() != Size || group.thread_rank() != t % Size;

    auto half = cg::tiled_partition<(Size > 1 ? Size / 2 : 1)>(cg::tiled_partition<2 * Size>(cg::this_thread_block()));
    bad += shuffles(half) + (half.meta_group_rank() != t % (2 * Size) / half.size());
    bad += half.meta_group_size() != 2 * Size / half.size();

    auto dynamic = cg::tiled_partition(group, Size > 4 ? 4 : Size);
    bad += dynamic.size() != (Size > 4 ? 4 : Size) || dynamic.thread_rank() != t % dynamic.size();
    dynamic.sync();
    return bad;
}

__global__ void all_sizes(unsigned* bad) {
    unsigned wrong = test_tile<1>() + test_tile<4>() + test_tile<16>();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    wrong += shuffles(warp) + votes(warp) + (warp.meta_group_rank() != threadIdx.x / 32);
    atomicAdd(bad, wrong);
}

// A size that the compiler knows, as an int: the tile loses its parent.
template <int Size>
__device__ int sum_of(cg::thread_block_tile<Size> g, int value) {
    for (int i = g.size() / 2; i > 0; i /= 2) value += g.shfl_down(value, i);
    return value;
}
__global__ void sums(int* out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int value = sum_of<16>(tile, threadIdx.x);
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = value;
}

void test() {
    unsigned* bad = device_array<unsigned>(1);
    all_sizes<<<2, 96>>>(bad);
    EXPECT_DONE();
    EXPECT(*bad == 0);
    int* out = device_array<int>(4);
    sums<<<1, 64>>>(out);
    EXPECT_DONE();
    for (int i = 0; i < 4; i++) EXPECT(out[i] == 256 * i + 120);
}

}  // namespace tiles

// coalesced_group: lanes in a branch; groups by a label.
namespace coalesced {

__device__ int count_one(int* counter) {  // one atomic for all threads that come here together
    const cg::coalesced_group g = cg::coalesced_threads();
    int first = 0;
    if (g.thread_rank() == 0) first = atomicAdd(counter, int(g.size()));
    return g.shfl(first, 0) + int(g.thread_rank());
}

__global__ void compact(int* counter, int* out) {
    if (threadIdx.x % 3 == 0) out[count_one(counter)] = threadIdx.x;
}

__device__ unsigned check(cg::coalesced_group g, unsigned size, unsigned rank, unsigned step) {
    const unsigned t = threadIdx.x;
    unsigned bad = g.size() != size || g.num_threads() != size || g.thread_rank() != rank;
    bad += g.shfl(t, 1) != t + (1 - int(rank)) * step;
    bad += g.shfl_up(t, 2) != (rank < 2 ? t : t - 2 * step);
    bad += g.shfl_down(t, 3) != (rank + 3 < size ? t + 3 * step : t);
    bad += g.any(rank == 2) != 1 || g.any(0) != 0 || g.all(1) != 1 || g.all(rank != 2) != 0;
    bad += g.ballot(rank < 2) != 3 || g.match_any(rank == 1) != (rank == 1 ? 2u : ((1u << size) - 1) ^ 2);
    int all;
    bad += g.match_all(3, all) != (1u << size) - 1 || all != 1;
    const double pair = g.shfl(make_double2(t, -1. * t), 0).y;
    bad += pair != -1. * (t - rank * step);
    g.sync();
    return bad;
}

__global__ void groups(unsigned* wrong) {
    const unsigned t = threadIdx.x;
    unsigned bad = 0;
    if (t % 32 % 5 == 2) {  // lanes 2, 7, 12, 17, 22, 27
        const unsigned rank = t % 32 / 5;
        auto g = cg::coalesced_threads();
        bad += check(g, 6, rank, 5) + (g.meta_group_rank() != 0) + (g.meta_group_size() != 1);
        auto part = cg::tiled_partition(g, 4);  // four lanes and two
        bad += part.size() != (rank < 4 ? 4 : 2) || part.thread_rank() != rank % 4;
        bad += part.meta_group_rank() != rank / 4 || part.meta_group_size() != 2;
        bad += part.shfl(rank, 0) != rank / 4 * 4;
        cg::thread_group any = part;
        bad += any.size() != part.size() || any.thread_rank() != part.thread_rank();
        any.sync();
        bad += cg::reduce(g, int(rank), cg::plus<int>()) != 15;
    }
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto thirds = cg::labeled_partition(warp, int(t % 32 % 3) - 1);
    const unsigned label = t % 32 % 3, rank = t % 32 / 3;
    bad += check(thirds, label < 2 ? 11 : 10, rank, 3);
    bad += thirds.meta_group_rank() != label || thirds.meta_group_size() != 3;
    auto two = cg::binary_partition(thirds, rank < 4);  // of 4 and of 7 or 6 lanes
    bad += check(two, rank < 4 ? 4 : label < 2 ? 7 : 6, rank < 4 ? rank : rank - 4, 3);
    bad += two.meta_group_rank() != (rank < 4) || two.meta_group_size() != 2;
    auto one = cg::binary_partition(warp, true);
    bad += one.size() != 32 || one.meta_group_size() != 1 || one.shfl(t % 32, 5) != 5;
    bad += cg::labeled_partition(two, rank < 2).size() != (rank < 2 ? 2 : rank < 4 ? 2 : two.size());
    bad += cg::labeled_partition(warp, &wrong[t % 4]).size() != 8;
    atomicAdd(wrong, bad);
}

// One thread of a group calls a function; all get the result.
__global__ void one_of_many(int* calls, unsigned* bad) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::invoke_one(cg::this_thread_block(), [=] { atomicAdd(&calls[0], 1); });
    cg::invoke_one(warp, [=](int n) { atomicAdd(&calls[1], n); }, 3);
    const int before = cg::invoke_one_broadcast(warp, [=] { return atomicAdd(&calls[2], 10); });
    if (before % 10 != 0 || warp.shfl(before, 3) != before) atomicAdd(bad, 1);
    if (threadIdx.x % 32 < 7) {
        const float half = cg::invoke_one_broadcast(cg::coalesced_threads(), [](float x) { return x / 2; }, 5.f);
        if (half != 2.5f) atomicAdd(bad, 1);
    }
}

void test() {
    int *counter = device_array<int>(3), *out = device_array<int>(64);
    unsigned* bad = device_array<unsigned>(4);
    compact<<<1, 64>>>(counter, out);
    EXPECT_DONE();
    EXPECT(*counter == 22);
    int sum = 0;
    for (int i = 0; i < 22; i++) sum += out[i];
    EXPECT(sum == 3 * 231);
    groups<<<2, 64>>>(bad);
    EXPECT_DONE();
    EXPECT(bad[0] == 0);
    counter[0] = 0;
    one_of_many<<<1, 64>>>(counter, bad);
    EXPECT_DONE();
    EXPECT(counter[0] == 1 && counter[1] == 6 && counter[2] == 20 && bad[0] == 0);
}

}  // namespace coalesced

// reduce() and scans: the same bits as CUDA's, also for floats.
namespace sums {

// One rounding: of a product and a sum, nvcc would make one operation in a kernel, and not on the host.
__host__ __device__ inline float number(unsigned i) { return float(int(i * 2654435761u % 2000) - 600) / 7; }

struct Sum {  // of a type and an operator of the reader's
    double total;
    int count;
};
struct Add {
    __device__ Sum operator()(const Sum& a, const Sum& b) const { return {a.total + b.total, a.count + b.count}; }
};

template <class Group>
__device__ void all_of(Group g, float* out, unsigned* wrong) {
    const unsigned t = threadIdx.x, rank = g.thread_rank(), size = g.size(), first = t - rank;
    out[4 * t] = cg::reduce(g, number(t), cg::plus<float>());
    out[4 * t + 1] = cg::inclusive_scan(g, number(t));
    out[4 * t + 2] = cg::exclusive_scan(g, number(t), cg::plus<float>());
    out[4 * t + 3] = cg::reduce(g, number(t), cg::greater<float>());

    unsigned bad = cg::reduce(g, t, cg::plus<unsigned>()) != size * first + size * (size - 1) / 2;
    bad += cg::reduce(g, short(t), cg::less<short>()) != short(first);
    bad += cg::reduce(g, -int(t), cg::greater<int>()) != -int(first);
    bad += cg::reduce(g, ~(1ull << rank % 40), cg::bit_and<unsigned long long>()) !=
           ~((1ull << (size < 40 ? size : 40)) - 1);
    bad += cg::reduce(g, 1u << rank % 32, cg::bit_or<unsigned>()) != (size < 32 ? (1u << size) - 1 : ~0u);
    bad += cg::reduce(g, rank == 0 ? 5 : 0, cg::bit_xor<int>()) != 5;
    bad += cg::reduce(g, int(rank), [](int a, int b) { return a > b ? a : b; }) != int(size) - 1;
    bad += cg::inclusive_scan(g, 2) != 2 * int(rank + 1) || cg::exclusive_scan(g, 3) != 3 * int(rank);
    bad += cg::inclusive_scan(g, int(rank), cg::greater<int>()) != int(rank);
    bad += cg::exclusive_scan(g, 1u << rank % 32, cg::bit_or<unsigned>()) != (rank < 32 ? (1u << rank) - 1 : ~0u);
    if constexpr (!std::is_same<Group, cg::thread_block_tile<128, cg::thread_block>>::value) {
        const Sum sum = cg::reduce(g, Sum{0.5, 1}, Add());  // a larger tile takes at most 8 bytes
        bad += sum.total != size / 2. || sum.count != int(size);
        bad += cg::inclusive_scan(g, Sum{0.5, 1}, Add()).count != int(rank) + 1;
    }
    atomicAdd(wrong, bad);
}

template <unsigned Size>
__global__ void of_tiles(float* out, unsigned* bad) {
    all_of(cg::tiled_partition<Size>(cg::this_thread_block()), out, bad);
}

__global__ void of_branch(float* out, unsigned* bad) {
    if (threadIdx.x < 21) all_of(cg::coalesced_threads(), out, bad);
}

__global__ void stores(int* out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    cg::reduce_store_async(tile, &out[tile.meta_group_rank()], int(threadIdx.x), cg::plus<int>());
}

// What the GPU's order of operations gives.
float butterfly(const float* x, unsigned n, unsigned rank = 0, unsigned distance = 1) {
    if (distance >= n) return x[rank];
    return butterfly(x, n, rank, 2 * distance) + butterfly(x, n, rank ^ distance, 2 * distance);
}
float running(const float* x, unsigned rank, unsigned distance = 16) {
    if (distance == 0) return x[rank];
    const float sum = running(x, rank, distance / 2);
    return distance > rank ? sum : sum + running(x, rank - distance, distance / 2);
}

void check(unsigned size, unsigned threads, bool is_tile, const float* out) {
    for (unsigned first = 0; first < threads; first += size) {
        float x[128], greatest = -1e9f;
        for (unsigned i = 0; i < size; i++) x[i] = number(first + i), greatest = std::fmax(greatest, x[i]);
        const unsigned warp = size < 32 ? size : 32;
        float sums[4] = {}, before[4] = {}, totals[128], lasts[128];
        for (unsigned w = 0; w < size / warp; w++) {
            if (is_tile) totals[w] = butterfly(x + w * warp, warp);
            lasts[w] = running(x + w * warp, warp - 1);
            if (w > 0) before[w] = running(lasts, w - 1);
        }
        for (unsigned w = 0; is_tile && w < size / warp; w++) sums[w] = butterfly(totals, size / warp, w);
        for (unsigned i = 0; i < size; i++) {
            const unsigned w = i / warp, lane = i % warp;
            const float in_warp = running(x + w * warp, lane);
            const float until = lane ? running(x + w * warp, lane - 1) : 0;
            const float* o = out + 4 * (first + i);
            EXPECT(o[0] == (is_tile ? sums[w] : lasts[0]));
            EXPECT(o[1] == (w ? in_warp + before[w] : in_warp));
            EXPECT(o[2] == (w && lane ? until + before[w] : w ? before[w] : until));
            EXPECT(o[3] == greatest);
        }
    }
}

void test() {
    float* out = device_array<float>(4 * 256);
    unsigned* bad = device_array<unsigned>(1);
    of_tiles<32><<<1, 64>>>(out, bad);
    EXPECT_DONE();
    check(32, 64, true, out);
    of_tiles<8><<<1, 64>>>(out, bad);
    EXPECT_DONE();
    check(8, 64, true, out);
    of_tiles<128><<<2, 256>>>(out, bad);
    EXPECT_DONE();
    check(128, 256, true, out);
    of_branch<<<1, 32>>>(out, bad);
    EXPECT_DONE();
    check(21, 21, false, out);
    EXPECT(*bad == 0);
    int* sums = device_array<int>(4);
    stores<<<1, 32>>>(sums);
    EXPECT_DONE();
    for (int i = 0; i < 4; i++) EXPECT(sums[i] == 64 * i + 28);
}

}  // namespace sums

// thread_block_tile of 64 to 1024 threads.
namespace large {

template <unsigned Size>
__device__ unsigned check() {
    __shared__ cg::block_tile_memory<1024> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<Size>(block);
    const unsigned t = threadIdx.x, first = t / Size * Size;
    unsigned bad = tile.size() != Size || tile.thread_rank() != t % Size || tile.meta_group_rank() != t / Size;
    for (unsigned from : {0u, 40u, Size - 1}) {
        bad += tile.shfl(t, from) != first + from;
        bad += tile.shfl(1.5 * t, from) != 1.5 * (first + from);
    }
    // No ||: a thread that has a wrong value must come to the next function, too.
    bad += (tile.any(t == first + 50) != 1) + (tile.any(0) != 0);
    bad += (tile.all(1) != 1) + (tile.all(t % Size != 50) != 0);
    bad += cg::reduce(tile, 1, cg::plus<int>()) != int(Size);

    __shared__ int written[1024];
    for (int i = 0; i < 3; i++) {
        written[t] = int(t) + i;
        tile.sync();
        bad += written[first + (t + 33) % Size] != int(first + (t + 33) % Size) + i;
        cg::sync(tile);
    }
    cg::thread_block_tile<Size> any = tile;
    bad += (any.meta_group_rank() != tile.meta_group_rank()) + (any.shfl(t, 1) != first + 1);
    auto warp = cg::tiled_partition<32>(tile);
    bad += warp.meta_group_rank() != t % Size / 32 || warp.meta_group_size() != Size / 32;
    bad += warp.shfl(t, 0) != t / 32 * 32;
    return bad;
}

__global__ void sizes(unsigned* bad) {
    atomicAdd(bad, check<64>() + check<512>() + check<1024>());
    // Tiles go their own ways, and meet in tiles of another size.
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<256>(block);
    auto of_tile = cg::tiled_partition<64>(tile);
    int value = 0;
    for (unsigned i = 0; i < tile.meta_group_rank(); i++) value = tile.shfl(int(i) + 1, i);
    for (unsigned i = 0; i <= of_tile.meta_group_rank(); i++) value += cg::reduce(of_tile, 1, cg::plus<int>());
    const int expected = int(tile.meta_group_rank() + 64 * (of_tile.meta_group_rank() + 1));
    atomicAdd(bad, (value != expected) + unsigned(tile.any(value != expected)));
}

void test() {
    unsigned* bad = device_array<unsigned>(1);
    sizes<<<2, 1024>>>(bad);
    EXPECT_DONE();
    EXPECT(*bad == 0);
}

}  // namespace large

// Barriers of the whole grid and of a cluster; shared memory of another block.
namespace several_blocks {

__global__ void reversed_twice(int* a, int* b, unsigned n) {
    auto grid = cg::this_grid();
    const unsigned i = unsigned(grid.thread_rank());
    if (!grid.is_valid() || grid.size() != n) return;
    a[i] = int(i);
    grid.sync();
    b[i] = a[n - 1 - i] + 1;
    auto token = grid.barrier_arrive();
    grid.barrier_wait(std::move(token));
    a[i] = b[n - 1 - i];
    grid.sync();  // a thread_group made from `grid` is no such barrier with CUDA 13.0 on an H200: of 256 values 96 are
                  // old
    b[i] = a[n - 1 - i];
}

__global__ void neighbours(unsigned* bad) {
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), t = threadIdx.x, blocks = cluster.num_blocks();
    mine[t] = int(100 * blockIdx.x + t);
    cluster.sync();
    const int* next = cluster.map_shared_rank(mine, int((rank + 1) % blocks));
    const unsigned expected = 100 * (blockIdx.x / 4 * 4 + (rank + 1) % 4) + t;
    bool ok = blocks == 4 && rank == blockIdx.x % 4 && next[t] == int(expected);
    ok = ok && cluster.query_shared_rank(next) == (rank + 1) % blocks && cluster.dim_blocks().x == 4;
    ok =
        ok && cluster.num_threads() == 128 && cluster.thread_rank() == rank * 32 + t && cluster.block_index().x == rank;
    ok = ok && cluster.thread_index().x == rank * 32 + t && cluster.dim_threads().x == 128;
    auto grid = cg::this_grid();
    ok = ok && grid.num_clusters() == 2 && grid.cluster_rank() == blockIdx.x / 4 && grid.dim_clusters().x == 2;
    auto token = cluster.barrier_arrive();
    if (!ok) atomicAdd(bad, 1);
    cluster.barrier_wait(std::move(token));  // no block returns while another reads its memory
}

void test() {
    unsigned n = 4 * 64;
    int *a = device_array<int>(n), *b = device_array<int>(n);
    void* arguments[] = {&a, &b, &n};
    EXPECT(cudaLaunchCooperativeKernel(reversed_twice, dim3(4), dim3(64), arguments) == cudaSuccess);
    EXPECT_DONE();
    for (unsigned i = 0; i < n; i++) EXPECT(b[i] == int(n - i));

    unsigned* bad = device_array<unsigned>(1);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8), config.blockDim = dim3(32), config.attrs = &attribute, config.numAttrs = 1;
    EXPECT(cudaLaunchKernelEx(&config, neighbours, bad) == cudaSuccess);
    EXPECT_DONE();
    EXPECT(*bad == 0);
}

}  // namespace several_blocks

int main() {
    blocks::test();
    tiles::test();
    coalesced::test();
    sums::test();
    large::test();
    several_blocks::test();
    return report();
}
