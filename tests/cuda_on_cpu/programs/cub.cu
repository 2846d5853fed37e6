// What CUB does with a block or a warp: sums, scans, loads and stores.
#include "expect.h"
#include <cub/cub.cuh>

struct Plus {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct Larger {
    __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
// The larger; the first of two that are equal.
struct Best {
    int value, at;
};
struct Better {
    __host__ __device__ Best operator()(Best a, Best b) const {
        return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
    }
};
// Joins numbers as digits: the order of a and b matters.
struct Append {
    __host__ __device__ long long operator()(long long a, long long b) const {
        long long shift = 1;
        while (shift <= b) shift *= 10;
        return a * shift + b;
    }
};

namespace reduce {

template <int X, int Y>
__global__ void sums(int* out, const int* in, int valid) {
    using Reduce = cub::BlockReduce<int, X, cub::BLOCK_REDUCE_WARP_REDUCTIONS, Y>;
    __shared__ typename Reduce::TempStorage storage;
    const int t = threadIdx.x + X * threadIdx.y;
    const int all = Reduce(storage).Sum(in[t]);
    if (t == 0) out[0] = all;
    __syncthreads();
    const int some = Reduce(storage).Sum(in[t], valid);
    if (t == 0) out[1] = some;
    __syncthreads();
    int two[2] = {in[t], 1};
    const int pairs = Reduce(storage).Sum(two);
    if (t == 0) out[2] = pairs;
    __syncthreads();
    const int most = Reduce(storage).Reduce(in[t], Larger());
    if (t == 0) out[3] = most;
}

__global__ void best(Best* out, const int* in) {
    using Reduce = cub::BlockReduce<Best, 96>;
    __shared__ typename Reduce::TempStorage storage;
    const Best found = Reduce(storage).Reduce({in[threadIdx.x], int(threadIdx.x)}, Better());
    if (threadIdx.x == 0) *out = found;
}

__global__ void digits(long long* out) {
    using Reduce = cub::BlockReduce<long long, 8>;
    __shared__ typename Reduce::TempStorage storage;
    const long long all = Reduce(storage).Reduce(threadIdx.x + 1, Append());
    if (threadIdx.x == 0) *out = all;
}

__global__ void of_warps(int* out, const int* in) {
    using Reduce = cub::WarpReduce<int, 16>;
    __shared__ typename Reduce::TempStorage storage[4];
    const int group = threadIdx.x / 16;
    const int sum = Reduce(storage[group]).Sum(in[threadIdx.x]);
    if (threadIdx.x % 16 == 0) out[group] = sum;
}

void test() {
    int* in = device_array<int>(96);
    int* out = device_array<int>(4);
    Best* top = device_array<Best>(1);
    for (int i = 0; i < 96; i++) in[i] = i * 37 % 96;
    int all = 0, some = 0;
    for (int i = 0; i < 96; i++) all += in[i], some += i < 45 ? in[i] : 0;
    sums<96, 1><<<1, 96>>>(out, in, 45);
    EXPECT_DONE();
    EXPECT(out[0] == all && out[1] == some && out[2] == all + 96 && out[3] == 95);
    sums<16, 6><<<1, dim3(16, 6)>>>(out, in, 45);
    EXPECT_DONE();
    EXPECT(out[0] == all && out[1] == some && out[2] == all + 96 && out[3] == 95);
    in[70] = in[13] = 1000;
    best<<<1, 96>>>(top, in);
    EXPECT_DONE();
    EXPECT(top->value == 1000 && top->at == 13);
    long long* word = device_array<long long>(1);
    digits<<<1, 8>>>(word);
    EXPECT_DONE();
    EXPECT(*word == 12345678);
    of_warps<<<1, 64>>>(out, in);
    EXPECT_DONE();
    for (int group = 0; group < 4; group++) {
        int sum = 0;
        for (int i = 0; i < 16; i++) sum += in[16 * group + i];
        EXPECT(out[group] == sum);
    }
}

}  // namespace reduce

namespace scan {

// Continues from chunk to chunk, as a loop over a long row does.
struct Running {
    int total;
    __device__ int operator()(int of_the_block) {
        const int before = total;
        total += of_the_block;
        return before;
    }
};

__global__ void sums(int* out, const int* in) {
    using Scan = cub::BlockScan<int, 64>;
    __shared__ typename Scan::TempStorage storage;
    const int t = threadIdx.x;
    int total = 0;
    Scan(storage).InclusiveSum(in[t], out[t]);
    __syncthreads();
    Scan(storage).ExclusiveSum(in[t], out[64 + t], total);
    __syncthreads();
    Scan(storage).InclusiveScan(in[t], out[128 + t], Larger());
    __syncthreads();
    Scan(storage).ExclusiveScan(in[t], out[192 + t], -1, Larger());
    out[256 + t] = total;
}

__global__ void chunks(int* out, const int* in) {
    using Scan = cub::BlockScan<int, 32, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage storage;
    Running running = {100};
    for (int chunk = 0; chunk < 128; chunk += 64) {
        int items[2] = {in[chunk + 2 * threadIdx.x], in[chunk + 2 * threadIdx.x + 1]};
        __syncthreads();
        Scan(storage).InclusiveScan(items, items, Plus(), running);
        out[chunk + 2 * threadIdx.x] = items[0];
        out[chunk + 2 * threadIdx.x + 1] = items[1];
    }
}

__global__ void digits(long long* out) {
    using Scan = cub::BlockScan<long long, 4>;
    __shared__ typename Scan::TempStorage storage;
    long long items[2] = {2 * threadIdx.x + 1, 2 * threadIdx.x + 2};
    Scan(storage).InclusiveScan(items, items, Append());
    out[2 * threadIdx.x] = items[0];
    out[2 * threadIdx.x + 1] = items[1];
}

void test() {
    int* in = device_array<int>(128);
    int* out = device_array<int>(320);
    long long* words = device_array<long long>(8);
    for (int i = 0; i < 128; i++) in[i] = i * 37 % 128;
    sums<<<1, 64>>>(out, in);
    EXPECT_DONE();
    int sum = 0, most = -1;
    for (int i = 0; i < 64; i++) {
        EXPECT(out[64 + i] == sum && out[192 + i] == most);
        sum += in[i];
        most = in[i] > most ? in[i] : most;
        EXPECT(out[i] == sum && out[128 + i] == most);
    }
    EXPECT(out[256] == sum && out[256 + 63] == sum);
    chunks<<<1, 32>>>(out, in);
    EXPECT_DONE();
    sum = 100;
    for (int i = 0; i < 128; i++) EXPECT(out[i] == (sum += in[i]));
    digits<<<1, 4>>>(words);
    EXPECT_DONE();
    EXPECT(words[0] == 1 && words[1] == 12 && words[4] == 12345 && words[7] == 12345678);
}

}  // namespace scan

namespace load_and_store {

template <cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm S>
__global__ void add_thread(int* out, const int* in, int valid) {
    using Load = cub::BlockLoad<int, 32, 4, L>;
    using Store = cub::BlockStore<int, 32, 4, S>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } storage;
    int items[4];
    if (valid < 128)
        Load(storage.load).Load(in, items, valid, -1000);
    else
        Load(storage.load).Load(in, items);
    __syncthreads();
    for (int& item : items) item += threadIdx.x;
    if (valid < 128)
        Store(storage.store).Store(out, items, valid + 1);
    else
        Store(storage.store).Store(out, items);
}

void test() {
    int* in = device_array<int>(128);
    int* out = device_array<int>(128);
    for (int i = 0; i < 128; i++) in[i] = 1000 * i;
    add_thread<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_DIRECT><<<1, 32>>>(out, in, 128);
    EXPECT_DONE();
    for (int i = 0; i < 128; i++) EXPECT(out[i] == 1000 * i + i / 4);
    EXPECT(cudaMemset(out, 0, 128 * sizeof(int)) == cudaSuccess);
    add_thread<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED><<<1, 32>>>(out, in, 70);
    EXPECT_DONE();
    for (int i = 0; i < 128; i++) EXPECT(out[i] == (i > 70 ? 0 : (i < 70 ? 1000 * i : -1000) + i % 32));
}

}  // namespace load_and_store

int main() {
    reduce::test();
    scan::test();
    load_and_store::test();
    return report();
}
