// The host's API, and the errors of launches.
#include "expect.h"
#include <cassert>
#include <cstring>
#include <thread>
#include <vector>

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
}

int main() {
    int* a = device_array<int>(1);
    launches(a);
    names();
    memory(a);
    streams(a);
    device();

    // Several host threads launch at once; each has a last error of its own.
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
    return report();
}
