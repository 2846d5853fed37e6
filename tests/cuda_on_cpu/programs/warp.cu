// Warp functions.
#include "expect.h"
#include <type_traits>

constexpr unsigned full = 0xffffffff;

template <typename T>
__global__ void shuffles(T* out, int width) {
    const int lane = threadIdx.x % 32;
    const T v = T(lane + 100);
    out[lane] = __shfl_sync(full, v, 3, width);
    out[32 + lane] = __shfl_up_sync(full, v, 2, width);
    out[64 + lane] = __shfl_down_sync(full, v, 3, width);
    out[96 + lane] = __shfl_xor_sync(full, v, 5, width);
    out[128 + lane] = __shfl_sync(full, v, lane + 9, width);  // wraps around in its group
}

template <typename T>
void test_shuffles() {
    T* out = device_array<T>(160);
    for (int width : {32, 16, 8, 4, 2, 1}) {
        shuffles<<<1, 64>>>(out, width);  // two warps
        EXPECT_DONE();
        for (int lane = 0; lane < 32; lane++) {
            const int group = lane / width * width, in_group = lane % width;
            EXPECT(out[lane] == T(group + 3 % width + 100));
            EXPECT(out[32 + lane] == T((in_group >= 2 ? lane - 2 : lane) + 100));
            EXPECT(out[64 + lane] == T((in_group + 3 < width ? lane + 3 : lane) + 100));
            EXPECT(out[96 + lane] == T(((lane ^ 5) < group + width ? lane ^ 5 : lane) + 100));
            EXPECT(out[128 + lane] == T(group + (lane + 9) % width + 100));
        }
    }
}

__global__ void votes(unsigned* out) {
    const unsigned t = threadIdx.x, lane = t % 32;
    const unsigned ballot = __ballot_sync(full, lane % 2), any = __any_sync(full, lane == 7) != 0,
                   no = __any_sync(full, lane == 99) != 0, every = __all_sync(full, lane < 32) != 0,
                   not_every = __all_sync(full, lane < 31) != 0;
    if (t == 40) out[0] = ballot, out[1] = any, out[2] = no, out[3] = every, out[4] = not_every;
    if (t == 41) out[5] = __activemask() == 1u << 9;
    unsigned sum = 0;
    if (lane < 8)
        sum = __reduce_add_sync(0xff, lane);  // some lanes only
    else if (lane >= 24)
        sum = __shfl_sync(0xff000000, lane, 30);
    __syncwarp();
    if (t == 33) out[6] = sum;
    if (t == 60) out[7] = sum;
}

__global__ void reduces(int* out) {
    const int lane = threadIdx.x, v = lane == 5 ? -7 : lane;
    const unsigned u = unsigned(lane) | 64;
    const int results[] = {
        __reduce_add_sync(full, v),      __reduce_min_sync(full, v),      __reduce_max_sync(full, v),
        int(__reduce_add_sync(full, u)), int(__reduce_min_sync(full, u)), int(__reduce_max_sync(full, u)),
        int(__reduce_and_sync(full, u)), int(__reduce_or_sync(full, u)),  int(__reduce_xor_sync(full, u))};
    if (lane == 31)
        for (int i = 0; i < 9; i++) out[i] = results[i];
    const unsigned same = __match_any_sync(full, lane / 3);
    int equal = 0, differ = 0;
    const unsigned one = __match_all_sync(full, 5, &equal), other = __match_all_sync(full, lane, &differ);
    if (lane == 10)
        out[9] = int(same), out[10] = int(one), out[11] = equal != 0, out[12] = int(other), out[13] = differ;
}

// Lanes that have returned do not count; a warp that is not full has no others.
__global__ void early_exit(int* out, int n) {
    if (int(threadIdx.x) >= n) return;
    const unsigned here = __ballot_sync(n >= 32 ? full : (1u << n) - 1, 1);
    out[threadIdx.x] = int(here);
}

// Shared memory within a warp needs __syncwarp(), and no more.
__global__ void rotate(int* a, int steps) {
    __shared__ int s[64];
    const unsigned t = threadIdx.x, first = t / 32 * 32;
    s[t] = t;
    for (int i = 0; i < steps; i++) {
        __syncwarp();
        const int next = s[first + (t + 1) % 32];
        __syncwarp();
        s[t] = next;
    }
    a[t] = s[t];
}

__inline__ __device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(full, v, d);
    return v;
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS) block_sum(float* out, const float* x, int n) {
    __shared__ float partial[THREADS / 32];
    const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = warp_sum(i < n ? x[i] : 0);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (warp > 0) return;
    v = warp_sum(lane < THREADS / 32 ? partial[lane] : 0);
    if (lane == 0) atomicAdd(out, v);
}

int main() {
    test_shuffles<int>();
    test_shuffles<unsigned>();
    test_shuffles<long>();
    test_shuffles<unsigned long>();
    test_shuffles<long long>();
    test_shuffles<unsigned long long>();
    test_shuffles<float>();
    test_shuffles<double>();

    unsigned* u = device_array<unsigned>(8);
    votes<<<1, 64>>>(u);
    EXPECT_DONE();
    EXPECT(u[0] == 0xaaaaaaaa && u[1] == 1 && u[2] == 0 && u[3] == 1 && u[4] == 0);
    EXPECT(u[5] == 1 && u[6] == 28 && u[7] == 30);

    int* a = device_array<int>(64);
    reduces<<<1, 32>>>(a);
    EXPECT_DONE();
    EXPECT(a[0] == 496 - 12 && a[1] == -7 && a[2] == 31);
    EXPECT(a[3] == 496 + 64 * 32 && a[4] == 64 && a[5] == 95 && a[6] == 64 && a[7] == 95 && a[8] == 0);
    EXPECT(a[9] == 7 << 9 && a[10] == -1 && a[11] == 1 && a[12] == 0 && a[13] == 0);

    for (int n : {1, 5, 31, 32}) {
        early_exit<<<1, 32>>>(a, n);
        EXPECT_DONE();
        for (int i = 0; i < n; i++) EXPECT(unsigned(a[i]) == (n == 32 ? full : (1u << n) - 1));
    }
    rotate<<<1, 64>>>(a, 5);
    EXPECT_DONE();
    for (int i = 0; i < 64; i++) EXPECT(a[i] == i / 32 * 32 + (i + 5) % 32);

    float *x = device_array<float>(10000), *out = device_array<float>(1);
    for (int i = 0; i < 10000; i++) x[i] = float(i % 7);
    float expected = 0;
    for (int i = 0; i < 9999; i++) expected += x[i];
    block_sum<256><<<40, 256>>>(out, x, 9999);
    EXPECT_DONE();
    EXPECT(*out == expected);
    return report();
}
