// Launches: every way to name a kernel and to write the configuration.
#include "expect.h"
#include <cstdint>

struct Scale {
    float factor;
    int offset;
};

__global__ void where(uint3* thread, uint3* block_of, int* visits) {
    const unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + in_block;
    thread[i] = threadIdx;
    block_of[i] = blockIdx;
    atomicAdd(&visits[i], 1);
}

__global__ void grid_stride(int* a, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) a[i] += int(i);
}

namespace outer {
namespace inner {
template <typename T, int N>
__global__ void __launch_bounds__(256) fill(T* __restrict__ a, T value) {
    a[threadIdx.x] = value * T(N);
}
}  // namespace inner
template <class T>
struct Holder {
    using type = T;
    enum { two = 2 };
};
}  // namespace outer

template <typename T>
__global__ void deduced(T* a, T value, Scale s) {
    a[threadIdx.x] = T(value * T(s.factor) + T(s.offset));
}

__global__ void overloaded(int* a) { *a = 1; }
__global__ void overloaded(float* a) { *a = 2; }

__device__ __forceinline__ int twice(int x) { return 2 * x; }
__host__ __device__ constexpr int plus_one(int x) { return x + 1; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
__global__ void calls(int* a) { *a = twice(thrice(plus_one(*a))); }

template <typename T>
void launch_dependent(T* a) {  // a dependent name, and a constant of the launching function
    constexpr int n = 4;
    using C = outer::Holder<outer::Holder<T>>;
    outer::inner::fill<typename C::type::type, n * C::two><<<1, n>>>(a, T(3));
    ::outer::inner::fill<T, (n > 2)>  // a comment before
        <<<1, 1>>>(a + n, T(7));
}

#define LAUNCH(kernel, ...) kernel<<<1, 4>>>(__VA_ARGS__)
#define DISPATCH(...)           \
    [&] {                       \
        using scalar_t = float; \
        __VA_ARGS__();          \
    }()

template <typename T>
__global__ void next(T* a, int by) {
    a[threadIdx.x] += T(by);
}

int evaluated = 0;
int once(int value) { return evaluated++, value; }

int main() {
    const dim3 grid(3, 2, 2), block(4, 3, 5);
    const unsigned n = 12 * 60;
    uint3 *thread = device_array<uint3>(n), *block_of = device_array<uint3>(n);
    int* visits = device_array<int>(n);
    where<<<grid, block>>>(thread, block_of, visits);
    EXPECT_DONE();
    for (unsigned i = 0; i < n; i++) {
        EXPECT(visits[i] == 1);
        const unsigned t = i % 60, b = i / 60;
        EXPECT(thread[i].x == t % 4 && thread[i].y == t / 4 % 3 && thread[i].z == t / 12);
        EXPECT(block_of[i].x == b % 3 && block_of[i].y == b / 3 % 2 && block_of[i].z == b / 6);
    }

    int* a = device_array<int>(1000);
    grid_stride<<<3, 64>>>(a, 1000);
    EXPECT_DONE();
    for (int i = 0; i < 1000; i++) EXPECT(a[i] == i);

    float* f = device_array<float>(8);
    launch_dependent(f);
    EXPECT_DONE();
    EXPECT(f[0] == 24 && f[3] == 24 && f[4] == 7 && f[5] == 0);

    deduced<<<1, 8>>>(f, 2.f, Scale{3, 4});
    EXPECT_DONE();
    EXPECT(f[7] == 10);

    overloaded<<<1, 1>>>(a);
    overloaded<<<1, 1>>>(f);
    EXPECT_DONE();
    EXPECT(a[0] == 1 && f[0] == 2);

    calls<<<1, 1>>>(a);
    EXPECT_DONE();
    EXPECT(a[0] == 12);

    void (*pointer)(int*) = calls;
    void (*table[2])(int*) = {overloaded, calls};
    struct {
        void (*kernel)(int*);
    } member = {calls}, *to_member = &member;
    a[0] = 0;
    pointer<<<1, 1>>>(a);                           // 0 -> 6
    table[1]<<<1, 1>>>(a);                          // 6 -> 42
    member.kernel<<<1, 1>>>(a);                     // 42 -> 258
    to_member->kernel<<<1, 1>>>(a);                 // 258 -> 1554
    (evaluated ? table[0] : pointer)<<<1, 1>>>(a);  // -> 9330
    EXPECT_DONE();
    EXPECT(a[0] == 9330);

    // The launch below is a comment: overloaded<<<1, 1>>>(a); and so is /* overloaded<<<1, 1>>>(a) */ this one.
    const char* text = "overloaded<<<1, 1>>>(a)";
    const char* raw = R"--(calls<<<1, "1">>>(a) )" )--";
    const int big = 1'000'000 >> 3 << 1;
    EXPECT(text[10] == '<' && raw[5] == '<' && big == 250000);

    for (int i = 0; i < 1000; i++) a[i] = 0;
    LAUNCH(next<int>, a, 5);
    DISPATCH([&] { next<scalar_t><<<1, 1>>>(f, 40); });
    if (evaluated == 0)
        next<<<dim3(once(1)), dim3(once(2), 1, 1),
               (16 >> 2) * sizeof(int),  // a comment, with >>>( in it
               nullptr>>>(a, once(3));
    EXPECT_DONE();
    EXPECT(a[0] == 8 && a[1] == 8 && a[2] == 5 && a[4] == 0 && f[0] == 42);
    EXPECT(evaluated == 3);
    return report();
}
