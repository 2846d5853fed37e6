// Mistakes with cooperative groups. Each is reported, and the next launch works.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>
#include <stdexcept>

namespace cg = cooperative_groups;

__global__ void partial_warp(int* a) {  // 48 threads
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    *a = cg::reduce(tile, 1, cg::plus<int>());  // LINE partial
}

__global__ void no_such_rank(int* a) {
    if (threadIdx.x < 5) {
        auto group = cg::coalesced_threads();
        *a = group.shfl(1, 5);  // LINE rank
    }
}

__global__ void partial_tile() {                              // 48 threads
    cg::tiled_partition<64>(cg::this_thread_block()).sync();  // LINE divides
}

__global__ void not_a_power_of_2() {
    cg::tiled_partition(cg::this_thread_block(), 6).sync();  // LINE six
}

__global__ void half_a_tile() {  // 64 threads
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    if (threadIdx.x < 32)
        tile.sync();  // LINE half
    else
        cg::sync(cg::this_thread_block());  // LINE other
}

__global__ void thread_is_missing(int* a) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    if (tile.meta_group_rank() == 2 && tile.thread_rank() > 0) *a = tile.shfl_down(1, 1);  // LINE missing
    cg::this_thread_block().sync();
}

__global__ void two_branches() {
    if (threadIdx.x == 0)
        cg::this_thread_block().sync();  // LINE first
    else
        cg::this_thread_block().sync();  // LINE second
}

__global__ void right(int* a) {
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    *a = cg::reduce(tile, 1, cg::plus<int>());
}

template <class F>
void message_of(const char* name, F launch) {
    try {
        launch();
        std::printf("%s: no error\n", name);
    } catch (const std::exception& e) {
        std::printf("%s: %s\n", name, e.what());
    }
    int a = 0;
    right<<<1, 64>>>(&a);
    if (a != 64) std::printf("%s: then a sum of %d\n", name, a);
}

int main() {
    int a;
    message_of("partial_warp", [&] { partial_warp<<<1, 48>>>(&a); });
    message_of("no_such_rank", [&] { no_such_rank<<<1, 48>>>(&a); });
    message_of("partial_tile", [&] { partial_tile<<<1, 48>>>(); });
    message_of("not_a_power_of_2", [&] { not_a_power_of_2<<<1, 48>>>(); });
    message_of("half_a_tile", [&] { half_a_tile<<<1, 64>>>(); });
    message_of("thread_is_missing", [&] { thread_is_missing<<<1, 64>>>(&a); });
    message_of("two_branches", [&] { two_branches<<<1, 64>>>(); });
}
