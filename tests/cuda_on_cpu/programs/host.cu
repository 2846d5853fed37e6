// What the host does: launches of every form, and the functions of the runtime.
#include "expect.h"
#include <cassert>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

// Launches: every way to name a kernel and to write the configuration.
namespace launches {

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
__global__ void same_name(int* a) { *a = 7; }
int* for_same_name = nullptr;
// clang-format off: it would join the brackets, which other editors part
void same_name() { same_name<<<1, 1>>>(for_same_name); }
// clang-format on

__device__ __forceinline__ int twice(int x) { return 2 * x; }
__host__ __device__ constexpr int plus_one(int x) { return x + 1; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
__global__ void calls(int* a) { *a = twice(thrice(plus_one(*a))); }

template <typename T>
void launch_dependent(T* a) {  // a dependent name, and a constant of the launching function
    constexpr int n = 4;
    using C = outer::Holder<outer::Holder<T>>;
    outer::inner::fill<typename C::type::type, n * C::two><<<1, n>>>(a, T(3));
    ::launches::outer::inner::fill<T, (n > 2)>  // a comment before
        <<<1, 1>>>(a + n, T(7));
    // clang-format off
    outer::inner::fill<T, n < 5><<<1, 1>>>(a + n + 1, T(9));
    // clang-format on
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

void test() {
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
    EXPECT(f[0] == 24 && f[3] == 24 && f[4] == 7 && f[5] == 9 && f[6] == 0);

    deduced<<<1, 8>>>(f, 2.f, Scale{3, 4});
    EXPECT_DONE();
    EXPECT(f[7] == 10);

    overloaded<<<1, 1>>>(a);
    overloaded<<<1, 1>>>(f);
    EXPECT_DONE();
    EXPECT(a[0] == 1 && f[0] == 2);

    for_same_name = a;
    same_name();
    EXPECT_DONE();
    EXPECT(a[0] == 7);

    a[0] = 1;
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
}

}  // namespace launches

// The host's API, and the errors of launches.
namespace runtime {

__global__ void add_one(int* a) { atomicAdd(a, 1); }
template <int N>
__global__ void big(int* a) {
    extern __shared__ int s[];
    s[N] = 1;
    assert(s[N] == 1);
    atomicAdd(a, s[N]);
}

// A grid or block that no GPU can run: an invalid configuration, in CUDA on CPU as in the manual. CUDA 13.0 on an H200
// calls it an invalid value instead (measured 2026-11-21).
bool refused(cudaError_t error) {
#ifndef CUDA_ON_CPU
    if (error == cudaErrorInvalidValue) return true;
#endif
    return error == cudaErrorInvalidConfiguration;
}
bool too_much_shared(cudaError_t error) { return error == cudaErrorInvalidValue; }

// A refused launch: this error, once; and nothing has run.
#define EXPECT_REFUSED(error, ...)                                 \
    do {                                                           \
        *a = 0;                                                    \
        __VA_ARGS__;                                               \
        EXPECT(error(cudaPeekAtLastError()));                      \
        EXPECT(error(cudaGetLastError()));                         \
        EXPECT(cudaGetLastError() == cudaSuccess);                 \
        EXPECT(cudaDeviceSynchronize() == cudaSuccess && *a == 0); \
    } while (0)

void launches(int* a) {
    const unsigned zero = 0, minus = ~0u;  // -1 as a number of blocks
    EXPECT_REFUSED(refused, add_one<<<0, 1>>>(a));
    EXPECT_REFUSED(refused, add_one<<<1, zero>>>(a));
    EXPECT_REFUSED(refused, add_one<<<dim3(1, 0, 1), 1>>>(a));
    EXPECT_REFUSED(refused, add_one<<<minus, 1>>>(a));
    EXPECT_REFUSED(refused, add_one<<<1, 1025>>>(a));
    EXPECT_REFUSED(refused, add_one<<<1, dim3(32, 33)>>>(a));
    EXPECT_REFUSED(refused, add_one<<<1, dim3(1, 1, 65)>>>(a));
    EXPECT_REFUSED(refused, add_one<<<dim3(1, 65536), 1>>>(a));
    EXPECT_REFUSED(refused, add_one<<<dim3(1, 1, 65536), 1>>>(a));
    EXPECT_REFUSED(too_much_shared, big<0><<<1, 1, 48 * 1024 + 1>>>(a));

    add_one<<<dim3(2, 65535), dim3(1, 1, 64)>>>(a);  // as large as may be
    big<12287><<<1, 1, 48 * 1024>>>(a);
    EXPECT_DONE();
    EXPECT(*a == 2 * 65535 * 64 + 1);

    EXPECT(cudaFuncSetAttribute(big<14335>, cudaFuncAttributeMaxDynamicSharedMemorySize, 56 * 1024) == cudaSuccess);
    EXPECT_REFUSED(too_much_shared, big<14335><<<1, 1, 60 * 1024>>>(a));
    EXPECT_REFUSED(too_much_shared, big<0><<<1, 1, 56 * 1024>>>(a));  // another kernel
    big<14335><<<1, 1, 56 * 1024>>>(a);
    EXPECT_DONE();
    EXPECT(*a == 1);
    EXPECT(cudaFuncSetAttribute(big<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);

    *a = 0;
    add_one<<<1, 2000>>>(a);
    add_one<<<1, 2>>>(a);  // runs, and does not clear the error
    EXPECT(cudaDeviceSynchronize() == cudaSuccess && *a == 2);
    EXPECT(refused(cudaGetLastError()));
}

void names() {
    const struct {
        cudaError_t error;
        int number;
        const char *name, *text;
    } table[] = {
        {cudaSuccess, 0, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, 1, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, 2, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInitializationError, 3, "cudaErrorInitializationError", "initialization error"},
        {cudaErrorInvalidConfiguration, 9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
        {cudaErrorInvalidSymbol, 13, "cudaErrorInvalidSymbol", "invalid device symbol"},
        {cudaErrorInvalidMemcpyDirection, 21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
        {cudaErrorInsufficientDriver, 35, "cudaErrorInsufficientDriver",
         "CUDA driver version is insufficient for CUDA runtime version"},
        {cudaErrorInvalidDeviceFunction, 98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
        {cudaErrorNoDevice, 100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorInvalidDevice, 101, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorNoKernelImageForDevice, 209, "cudaErrorNoKernelImageForDevice",
         "no kernel image is available for execution on the device"},
        {cudaErrorInvalidResourceHandle, 400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
        {cudaErrorNotReady, 600, "cudaErrorNotReady", "device not ready"},
        {cudaErrorIllegalAddress, 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
        {cudaErrorLaunchOutOfResources, 701, "cudaErrorLaunchOutOfResources",
         "too many resources requested for launch"},
        {cudaErrorLaunchTimeout, 702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
        {cudaErrorAssert, 710, "cudaErrorAssert", "device-side assert triggered"},
        {cudaErrorMisalignedAddress, 716, "cudaErrorMisalignedAddress", "misaligned address"},
        {cudaErrorLaunchFailure, 719, "cudaErrorLaunchFailure", "unspecified launch failure"},
        {cudaErrorNotSupported, 801, "cudaErrorNotSupported", "operation not supported"},
        {cudaErrorUnknown, 999, "cudaErrorUnknown", "unknown error"},
        {cudaError_t(12345), 12345, "unrecognized error code", "unrecognized error code"},
    };
    for (const auto& row : table) {
        EXPECT(int(row.error) == row.number);
        EXPECT(std::strcmp(cudaGetErrorName(row.error), row.name) == 0);
        EXPECT(std::strcmp(cudaGetErrorString(row.error), row.text) == 0);
    }
}

void memory(int* a) {
    int *device = nullptr, *pinned = nullptr, host[4] = {1, 2, 3, 4}, back[4] = {};
    EXPECT(cudaMalloc(&device, sizeof host) == cudaSuccess && size_t(device) % 256 == 0);
    EXPECT(cudaMallocHost(&pinned, sizeof host) == cudaSuccess);
    EXPECT(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
    add_one<<<1, 5>>>(device + 2);
    EXPECT(cudaMemsetAsync(device, 0, sizeof(int), nullptr) == cudaSuccess);
    EXPECT(cudaMemcpyAsync(pinned, device, sizeof host, cudaMemcpyDeviceToHost, nullptr) == cudaSuccess);
    EXPECT(cudaMemcpy(back, device, sizeof back, cudaMemcpyDefault) == cudaSuccess);
    EXPECT(back[0] == 0 && back[1] == 2 && back[2] == 8 && back[3] == 4 && pinned[2] == 8);
    EXPECT(cudaFree(device) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess && cudaFree(nullptr) == cudaSuccess);

    void* huge = nullptr;
    EXPECT(cudaMalloc(&huge, size_t(1) << 50) == cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    EXPECT(cudaMemcpy(back, host, 4, cudaMemcpyKind(99)) == cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
    *a = 0;
}

void streams(int* a) {
    cudaStream_t stream;
    cudaEvent_t start = nullptr, end = nullptr;
    float milliseconds = -1;
    EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
    EXPECT(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess);
    EXPECT(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);  // not recorded yet
    EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(start, stream) == cudaSuccess);
    add_one<<<1000, 256, 0, stream>>>(a);
    EXPECT(cudaEventRecord(end, stream) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess);
    EXPECT(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess && milliseconds > 0 && milliseconds < 10000);
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess && cudaStreamQuery(stream) == cudaSuccess && *a == 256000);
    EXPECT(cudaEventDestroy(start) == cudaSuccess && cudaEventDestroy(end) == cudaSuccess);
    EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
}

void device() {
    int count = 0, current = -1, value = 0;
    cudaDeviceProp p;
    EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count >= 1);
    EXPECT(cudaSetDevice(0) == cudaSuccess && cudaGetDevice(&current) == cudaSuccess && current == 0);
    EXPECT(cudaSetDevice(count) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetDeviceProperties(&p, 0) == cudaSuccess && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    EXPECT(p.sharedMemPerBlock == 48 * 1024 && p.maxThreadsDim[2] == 64 && p.multiProcessorCount >= 1 && p.name[0]);
    EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess && value == 1024);
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, add_one, 256, 0) == cudaSuccess && value >= 1);
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, add_one, 256, 48 * 1024) == cudaSuccess && value <= 4);
}

void test() {
    int* a = device_array<int>(1);
    launches(a);
    names();
    memory(a);
    streams(a);
    device();

    // Each host thread has a last error of its own, also when several launch at once.
    cudaError_t of_another_thread = cudaErrorUnknown;
    add_one<<<1, 2000>>>(a);
    std::thread([&] { of_another_thread = cudaGetLastError(); }).join();
    EXPECT(of_another_thread == cudaSuccess && refused(cudaGetLastError()));
    *a = 0;
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (int t = 0; t < 4; t++)
        threads.emplace_back([=, &wrong] {
            for (int i = 0; i < 200; i++) {
                add_one<<<64, t % 2 ? 2000 : 64>>>(a);
                const cudaError_t error = cudaGetLastError();
                wrong[t] += t % 2 ? !refused(error) : error != cudaSuccess;
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_DONE();
    EXPECT(*a == 2 * 200 * 64 * 64 && wrong == std::vector<int>(4));
}

}  // namespace runtime

int main() {
    launches::test();
    runtime::test();
    return report();
}
