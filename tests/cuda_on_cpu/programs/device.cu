// What kernels do: shared memory and barriers, warp functions, types and mathematics.
#include "expect.h"
#include <climits>
#include <cmath>
#include <cstdint>
#include <type_traits>

// Shared memory and __syncthreads().
namespace shared_memory {

template <int THREADS>
__global__ void reverse_static(int* a) {
    __shared__ int s[THREADS];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[THREADS - 1 - threadIdx.x];
}

template <typename T>
__global__ void reverse_dynamic(T* a) {
    extern __shared__ __align__(16) unsigned char bytes[];
    T* s = reinterpret_cast<T*>(bytes);
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void transpose(float* out, const float* in) {  // 2-D, with a static tile
    static __shared__ float tile[16][17];
    const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, width = gridDim.x * 16;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * gridDim.y * 16 + blockIdx.y * 16 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

__global__ void sum(float* out, const float* x, int n) {  // a tree, across warps, in many steps
    extern __shared__ float partial[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) partial[threadIdx.x] += partial[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

__global__ void votes(int* out) {
    const int t = threadIdx.x;
    const int count = __syncthreads_count(t % 3 == 0);
    const int all = __syncthreads_and(t < 100), nearly = __syncthreads_and(t < 99);
    const int any = __syncthreads_or(t == 57), none = __syncthreads_or(t == 1000);
    if (t == 99) out[0] = count, out[1] = all != 0, out[2] = nearly != 0, out[3] = any != 0, out[4] = none != 0;
}

__global__ void early_exit(int* a, int n) {  // threads that have returned do not count
    __shared__ int s[128];
    if (int(threadIdx.x) >= n) return;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    a[threadIdx.x] = s[n - 1 - threadIdx.x];
    if (threadIdx.x % 2) return;
    __syncthreads();
    a[threadIdx.x] += 1000;
}

__shared__ int scratch[64];  // at namespace scope

__device__ int neighbour(int value) {  // a barrier in a function
    scratch[threadIdx.x] = value;
    __syncthreads();
    const int other = scratch[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    return other;
}

__global__ void twice_neighbour(int* a) { a[threadIdx.x] = neighbour(neighbour(threadIdx.x)); }

__constant__ int table[4] = {1, 2, 3, 4};
static __constant__ float factor;
__device__ int counter;
__global__ void constants(float* out) {
    if (threadIdx.x < 4) out[threadIdx.x] = table[threadIdx.x] * factor;
    atomicAdd(&counter, 1);
}

void test() {
    int* a = device_array<int>(1024);
    for (int threads : {1, 31, 32, 33, 64, 256, 1024}) {
        for (int i = 0; i < 1024; i++) a[i] = i;
        reverse_dynamic<<<1, threads, threads * sizeof(int)>>>(a);
        EXPECT_DONE();
        for (int i = 0; i < 1024; i++) EXPECT(a[i] == (i < threads ? threads - 1 - i : i));
    }
    reverse_static<256><<<1, 256>>>(a + 512);
    EXPECT_DONE();
    for (int i = 0; i < 256; i++) EXPECT(a[512 + i] == 256 + i);  // reversed a second time, in part

    double* d = device_array<double>(100);
    for (int i = 0; i < 100; i++) d[i] = i;
    reverse_dynamic<<<1, 100, 100 * sizeof(double)>>>(d);
    EXPECT_DONE();
    for (int i = 0; i < 100; i++) EXPECT(d[i] == 99 - i);

    float *in = device_array<float>(48 * 32), *out = device_array<float>(48 * 32);
    for (int i = 0; i < 48 * 32; i++) in[i] = float(i);
    transpose<<<dim3(3, 2), dim3(16, 16)>>>(out, in);
    EXPECT_DONE();
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 48; x++) EXPECT(out[x * 32 + y] == in[y * 48 + x]);

    for (int i = 0; i < 1000; i++) in[i] = 1;
    out[0] = 0;
    sum<<<8, 128, 128 * sizeof(float)>>>(out, in, 1000);
    EXPECT_DONE();
    EXPECT(out[0] == 1000);

    votes<<<1, 100>>>(a);
    EXPECT_DONE();
    EXPECT(a[0] == 34 && a[1] == 1 && a[2] == 0 && a[3] == 1 && a[4] == 0);

    early_exit<<<1, 128>>>(a, 77);
    EXPECT_DONE();
    for (int i = 0; i < 77; i++) EXPECT(a[i] == 76 - i + (i % 2 ? 0 : 1000));

    twice_neighbour<<<1, 50>>>(a);
    EXPECT_DONE();
    for (int i = 0; i < 50; i++) EXPECT(a[i] == (i + 2) % 50);

    const float two = 2;
    const int ten = 10;
    int count = -1, back[4];
    EXPECT(cudaMemcpyToSymbol(factor, &two, sizeof two) == cudaSuccess);
    EXPECT(cudaMemcpyToSymbol(table, &ten, sizeof ten, 3 * sizeof(int)) == cudaSuccess);
    for (const size_t offset : {13, 16, 20}) {  // beyond the end: refused, nothing written
        EXPECT(cudaMemcpyToSymbol(table, &ten, sizeof ten, offset) == cudaErrorInvalidValue);
        EXPECT(cudaMemcpyFromSymbol(back, table, sizeof ten, offset) == cudaErrorInvalidValue);
        EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    }
    constants<<<2, 8>>>(out);
    EXPECT_DONE();
    EXPECT(cudaMemcpyFromSymbol(&count, counter, sizeof count) == cudaSuccess);
    EXPECT(cudaMemcpyFromSymbol(back, table, sizeof back) == cudaSuccess);
    EXPECT(out[0] == 2 && out[2] == 6 && out[3] == 20 && count == 16 && back[3] == 10 && back[1] == 2);
}

}  // namespace shared_memory

// Warp functions.
namespace warps {

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

// __activemask(): the lanes that are here together. A GPU need not bring all lanes of a branch together, so there the
// mask is only known to hold the caller, and no lane of another branch. CUDA on CPU brings them together.
bool together(unsigned mask, unsigned expected, unsigned lane) {
#ifdef CUDA_ON_CPU
    (void)lane;
    return mask == expected;
#else
    return (mask >> lane & 1) && (mask & ~expected) == 0;
#endif
}

__global__ void active_alone(unsigned* out) { out[threadIdx.x] = __activemask(); }

__global__ void active_in_branches(unsigned* out) {
    if (threadIdx.x % 3 == 0)
        out[threadIdx.x] = __activemask();
    else if (threadIdx.x % 3 == 1)
        out[threadIdx.x] = __activemask();
}

__global__ void active_in_a_loop(unsigned* out) {  // the last of threadIdx.x % 4 + 1 times
    for (unsigned i = 0; i <= threadIdx.x % 4; i++) out[threadIdx.x] = __activemask();
}

__global__ void active_after_return(unsigned* out) {
    if (threadIdx.x % 3 == 0) return;
    out[threadIdx.x] = __activemask();
}

__global__ void active_while_others_wait(
    unsigned* out) {  // the first two of three in a warp function, then in a barrier
    if (threadIdx.x % 3 == 0) out[threadIdx.x] = __activemask();
    __syncwarp();
    if (threadIdx.x % 3 == 1) out[threadIdx.x] = __activemask();
    __syncthreads();
}

__global__ void active_count(unsigned* out) {  // one atomicAdd() for all lanes of a branch
    if (threadIdx.x % 3 == 2) return;
    const unsigned active = __activemask(), lane = threadIdx.x % 32;
    const int leader = __ffs(active) - 1;
    if (int(lane) == leader) atomicAdd(&out[blockDim.x], __popc(active));
    out[threadIdx.x] = __shfl_sync(active, lane, leader) == unsigned(leader);
}

void test_activemask() {
    const struct {
        void (*kernel)(unsigned*);
        bool (*member)(unsigned u, unsigned t);  // is thread u in the mask of thread t, if they are of the same warp?
    } cases[] = {
        {active_alone, [](unsigned, unsigned) { return true; }},
        {active_in_branches, [](unsigned u, unsigned t) { return u % 3 == t % 3 && t % 3 < 2; }},
        {active_in_a_loop, [](unsigned u, unsigned t) { return u % 4 >= t % 4; }},
        {active_after_return, [](unsigned u, unsigned t) { return u % 3 && t % 3; }},
        {active_while_others_wait, [](unsigned u, unsigned t) { return u % 3 == t % 3 && t % 3 < 2; }},
    };
    unsigned* out = device_array<unsigned>(257);
    for (unsigned threads : {1, 2, 31, 32, 33, 48, 100, 256}) {
        for (const auto& c : cases) {
            EXPECT(cudaMemset(out, 0, 257 * sizeof *out) == cudaSuccess);
            c.kernel<<<1, threads>>>(out);
            EXPECT_DONE();
            for (unsigned t = 0; t < threads; t++) {
                unsigned expected = 0;
                for (unsigned l = 0; l < 32; l++) {
                    const unsigned u = t / 32 * 32 + l;
                    if (u < threads && c.member(u, t)) expected |= 1u << l;
                }
                if (c.member(t, t))
                    EXPECT(together(out[t], expected, t % 32));
                else
                    EXPECT(out[t] == 0);
            }
        }
        EXPECT(cudaMemset(out, 0, 257 * sizeof *out) == cudaSuccess);
        active_count<<<2, threads>>>(out);
        EXPECT_DONE();
        for (unsigned t = 0; t < threads; t++) EXPECT(out[t] == (t % 3 < 2));
        EXPECT(out[threads] == 2 * (threads - threads / 3));
    }
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

void test() {
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
    test_activemask();
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
}

}  // namespace warps

// Vector types, atomics, mathematics, conversions.
namespace types {

static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && sizeof(float4) == 16 && alignof(float4) == 16, "");
static_assert(alignof(float2) == 8 && alignof(double2) == 16 && sizeof(double3) == 24 && alignof(double3) == 8, "");
static_assert(alignof(char2) == 2 && alignof(uchar4) == 4 && alignof(char3) == 1 && sizeof(uchar3) == 3, "");
static_assert(alignof(short2) == 4 && alignof(ushort4) == 8 && alignof(longlong2) == 16 && alignof(long1) == 8, "");
static_assert(alignof(int4) == 16 && alignof(uint2) == 8 && alignof(ulonglong1) == 8 && sizeof(ulong2) == 16, "");

struct __align__(16) Pair {
    float a, b;
};
static_assert(alignof(Pair) == 16, "");

__global__ void add4(float4* c, const float4* a, const float4* b) {
    const float4 x = a[threadIdx.x], y = __ldg(&b[threadIdx.x]);
    c[threadIdx.x] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    __shared__ __align__(16) unsigned char bytes[64];
    __shared__ alignas(32) int aligned[3];
    if (reinterpret_cast<uintptr_t>(bytes) % 16 || reinterpret_cast<uintptr_t>(aligned) % 32) c[0].x = -1;
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* ull, float* f, double* d) {
    const int t = threadIdx.x;
    atomicAdd(&i[0], t), atomicSub(&i[1], t), atomicMin(&i[2], -t), atomicMax(&i[3], t);
    atomicAnd(&i[4], ~(1 << t % 16)), atomicOr(&i[5], 1 << t % 16), atomicXor(&i[6], 1 << t % 5);
    if (atomicCAS(&i[7], 0, t + 1) == 0) atomicAdd(&i[8], 1);  // one thread wins
    if (atomicExch(&i[9], 1) == 0) atomicAdd_block(&i[10], 1);
    atomicAdd(&u[0], 1u), atomicSub(&u[1], 2u), atomicMin(&u[2], unsigned(t)), atomicMax(&u[3], unsigned(t));
    atomicInc(&u[4], 9u), atomicDec(&u[5], 9u);
    atomicAdd(&ull[0], 1ull << 33), atomicMax(&ull[1], (unsigned long long)t << 40);
    atomicAdd(f, 0.5f), atomicAdd_system(d, 0.25);
}

__global__ void mathematics(float* f, double* d, float x) {
    int n = 0;
    const double y = x;
    f[n++] = rsqrtf(x) - 1 / std::sqrt(x), f[n++] = __expf(x) / expf(x) - 1, f[n++] = __logf(x) - logf(x);
    f[n++] = __fdividef(x, 3) - x / 3, f[n++] = __powf(x, 3) / (x * x * x) - 1, f[n++] = __saturatef(-x);
    f[n++] = __saturatef(x / 10) - x / 10, f[n++] = 1 - __saturatef(x), f[n++] = fminf(x, 1) - 1;
    f[n++] = max(x, 1.f) - x, f[n++] = fabsf(__frcp_rn(x) - 1 / x), f[n++] = abs(-x) - x;
    float s, c;
    sincosf(x, &s, &c);
    f[n++] = s - sinf(x), f[n++] = c - cosf(x), f[n++] = sinpif(0.5f) - 1, f[n++] = cospif(1) + 1,
    f[n++] = rcbrtf(8) - 0.5f;
    __sincosf(x, &s, &c);
    f[n++] = s - __sinf(x), f[n++] = c - __cosf(x), f[n++] = isnan(nanf("")) ? 0 : 1, f[n++] = fmaxf(nanf(""), 2) - 2;
    f[n++] = __fmul_rn(x, x) - x * x, f[n++] = fmaf(x, x, -x * x), f[n++] = tanhf(0), f[n++] = erff(0), f[n++] = 99;
    d[0] = rsqrt(y) - 1 / sqrt(y), d[1] = max(y, 1.f) - y, d[2] = min(1.f, y) - 1, d[3] = fma(y, y, -y * y), d[4] = 99;
}

__global__ void integers(long long* r) {
    int n = 0;
    r[n++] = min(3, 5u), r[n++] = max(-1, 5u), r[n++] = min(-1, 5), r[n++] = max(1ll, 2ll), r[n++] = min(7ul, 8ul);
    r[n++] = __popc(0xff0), r[n++] = __popcll(~0ull), r[n++] = __clz(1), r[n++] = __clz(0), r[n++] = __clzll(1);
    r[n++] = __ffs(8), r[n++] = __ffs(0), r[n++] = __ffsll(1ll << 40), r[n++] = __brev(1),
    r[n++] = __brevll(2) == 1ull << 62;
    r[n++] = __mul24(-3, 5), r[n++] = __umul24(0x1000002, 3), r[n++] = __umulhi(~0u, ~0u), r[n++] = __mulhi(-1, 1);
    r[n++] = __mul64hi(-1, 1), r[n++] = __umul64hi(~0ull, 2), r[n++] = __byte_perm(0x03020100, 0x07060504, 0x7531);
    r[n++] = __funnelshift_l(0x80000000, 1, 1), r[n++] = __usad(3, 5, 10), r[n++] = __hadd(3, 6);
    r[n++] = __float2int_rn(2.5f), r[n++] = __float2int_rn(3.5f), r[n++] = __float2int_rz(-2.7f),
    r[n++] = __float2int_ru(2.1f);
    r[n++] = __float2int_rd(-2.1f), r[n++] = __float2int_rn(1e20f), r[n++] = __float2int_rn(-1e20f);
    r[n++] = __float2uint_rn(-5), r[n++] = __float2uint_rn(1e20f), r[n++] = __float2int_rn(nanf(""));
    r[n++] = __float2ll_rn(1e30f) == LLONG_MAX, r[n++] = __float2ull_rz(3e19f) == ULLONG_MAX,
    r[n++] = __double2int_rn(-1e10);
    r[n++] = __float2int_rn(2147483648.f), r[n++] = __float2uint_rz(4294967296.f),
    r[n++] = __double2int_rz(-2147483648.9);
    r[n++] = __float_as_int(1.f), r[n++] = __float_as_uint(-2.f), r[n++] = (long long)__int_as_float(0x40400000);
    r[n++] = __double_as_longlong(1.0) == 0x3ff0000000000000, r[n++] = (long long)__uint2float_rn(7);
}

void test() {
    float4 *a = device_array<float4>(3), *b = device_array<float4>(3), *c = device_array<float4>(3);
    for (int i = 0; i < 3; i++) a[i] = make_float4(i, 1, 2, 3), b[i] = {10, 20, 30, 40};
    add4<<<1, 3>>>(c, a, b);
    EXPECT_DONE();
    EXPECT(c[0].x == 10 && c[2].x == 12 && c[1].y == 21 && c[1].z == 32 && c[2].w == 43);

    int* i = device_array<int>(11);
    unsigned* u = device_array<unsigned>(6);
    auto* ull = device_array<unsigned long long>(2);
    float* f = device_array<float>(32);
    double* d = device_array<double>(8);
    i[4] = -1, u[2] = 50;
    atomics<<<1, 100>>>(i, u, ull, f, d);
    EXPECT_DONE();
    EXPECT(i[0] == 4950 && i[1] == -4950 && i[2] == -99 && i[3] == 99 && i[4] == ~0xffff && i[5] == 0xffff);
    EXPECT(i[6] == 0 && i[7] >= 1 && i[7] <= 100 && i[8] == 1 && i[9] == 1 && i[10] == 1);
    EXPECT(u[0] == 100 && u[1] == -200u && u[2] == 0 && u[3] == 99 && u[4] == 0 && u[5] == 0);
    EXPECT(ull[0] == 100ull << 33 && ull[1] == 99ull << 40 && f[0] == 50 && *d == 25);

    mathematics<<<1, 1>>>(f, d, 2.3f);
    EXPECT_DONE();
    for (int k = 0; f[k] != 99; k++)
        if (!(std::fabs(f[k]) < 1e-5f)) std::printf("f[%d] = %g\n", k, f[k]), failures++;
    for (int k = 0; d[k] != 99; k++)
        if (!(std::fabs(d[k]) < 1e-12)) std::printf("d[%d] = %g\n", k, d[k]), failures++;

    const long long expected[] = {
        3,  4294967295, -1,      2,        7,       8,          64,         31,      32, 63,         4, 0,
        41, 0x80000000, 1,       -15,      6,       0xfffffffe, -1,         -1,      1,  0x07050301, 3, 12,
        4,  2,          4,       -2,       3,       -3,         INT_MAX,    INT_MIN, 0,  UINT_MAX,   0, 1,
        1,  INT_MIN,    INT_MAX, UINT_MAX, INT_MIN, 0x3f800000, 0xc0000000, 3,       1,  7};
    auto* r = device_array<long long>(64);
    integers<<<1, 1>>>(r);
    EXPECT_DONE();
    for (unsigned k = 0; k < sizeof expected / sizeof *expected; k++)
        if (r[k] != expected[k])
            std::printf("integers: result %u is %lld, not %lld\n", k, r[k], expected[k]), failures++;
}

}  // namespace types

// Special registers of PTX. (%warpid may differ from threadIdx.x / 32 on a GPU.)
namespace registers {

__global__ void read(unsigned* lanes, unsigned* others, unsigned long long* times) {
    unsigned sm, sms, warp;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(times[4 * threadIdx.x])::"memory");
    asm("mov.u32 %0, %%laneid;" : "=r"(lanes[threadIdx.x]));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    others[threadIdx.x] = sm < sms && warp < 64;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(times[4 * threadIdx.x + 2]));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(times[4 * threadIdx.x + 3]));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(times[4 * threadIdx.x + 1])::"memory");
}

void test() {
    unsigned *lanes = device_array<unsigned>(40), *others = device_array<unsigned>(40);
    auto* times = device_array<unsigned long long>(4 * 40);
    read<<<1, 40>>>(lanes, others, times);
    EXPECT_DONE();
    for (unsigned t = 0; t < 40; t++) {
        EXPECT(lanes[t] == t % 32 && others[t] == 1 && times[4 * t] > 0);
        EXPECT(times[4 * t] <= times[4 * t + 1] && times[4 * t + 2] <= times[4 * t + 3]);
    }
}

}  // namespace registers

int main() {
    shared_memory::test();
    registers::test();
    warps::test();
    types::test();
    return report();
}
