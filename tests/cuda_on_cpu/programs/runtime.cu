// The runtime API beyond what host.cu has: memory of two dimensions, kernels as void*, graphs; and device functions
// with a rounding, on bytes and on halves of words.
#include "expect.h"
#include <cuComplex.h>
#include <cuda_profiler_api.h>
#include <driver_types.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <cstring>
#include <functional>  // std::bind() is no competitor of what binds a kernel's arguments
#include <vector>

#ifndef __DRIVER_TYPES_H__
#error "NVIDIA's samples ask for this name before they define checkCudaErrors()"
#endif

#define OK(call) EXPECT((call) == cudaSuccess)
// This error, and then it is taken off.
#define EXPECT_ERROR(error, call)               \
    do {                                        \
        const cudaError_t returned = (call);    \
        EXPECT(returned == error);              \
        EXPECT(cudaGetLastError() == returned); \
    } while (0)

__global__ void __launch_bounds__(64) scale_and_add(int* a, int factor, int summand) {
    a[threadIdx.x] = a[threadIdx.x] * factor + summand;
}
template <class T>
__global__ void set(T* a, T value) {
    a[threadIdx.x] = value;
}

namespace memory {

__device__ int table[8];
__constant__ float coefficients[4];
__global__ void read(float* out) { out[threadIdx.x] = coefficients[threadIdx.x] + table[threadIdx.x]; }

void rows() {
    char host[5][10], back[5][12];
    for (int i = 0; i < 50; i++) host[i / 10][i % 10] = char(i);
    char* device = nullptr;
    size_t pitch = 0;
    OK(cudaMallocPitch(&device, &pitch, 10, 5));
    EXPECT(pitch >= 10 && pitch % 256 == 0);
    OK(cudaMemset2D(device, pitch, 7, 10, 5));
    OK(cudaMemcpy2D(device + pitch, pitch, host[1], 10, 9, 3, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DAsync(back, 12, device, pitch, 10, 5, cudaMemcpyDeviceToHost));
    OK(cudaDeviceSynchronize());
    EXPECT(back[0][9] == 7 && back[1][0] == 10 && back[3][8] == 38 && back[3][9] == 7 && back[4][0] == 7);
    EXPECT_ERROR(cudaErrorInvalidPitchValue, cudaMemcpy2D(back, 8, device, pitch, 10, 5, cudaMemcpyDeviceToHost));
    OK(cudaFree(device));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(device));

    cudaPitchedPtr volume;
    OK(cudaMalloc3D(&volume, make_cudaExtent(10, 5, 2)));
    EXPECT(volume.pitch >= 10 && volume.xsize == 10 && volume.ysize == 5);
    OK(cudaMemset3D(volume, 3, make_cudaExtent(10, 5, 2)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = volume, copy.dstPtr = make_cudaPitchedPtr(back, 12, 12, 2);
    copy.srcPos = make_cudaPos(1, 0, 1), copy.extent = make_cudaExtent(4, 2, 1), copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    EXPECT(back[0][0] == 3 && back[0][3] == 3 && back[0][4] == 7 && back[1][3] == 3 && back[2][0] == 20);
    OK(cudaFree(volume.ptr));
}

void symbols() {
    const int ints[8] = {1, 2, 3, 4};
    const float floats[4] = {.5f, .25f, .125f, 0};
    int back[2] = {};
    size_t bytes = 0;
    void* address = nullptr;
    OK(cudaMemcpyToSymbol(table, ints, 4 * sizeof(int), 4 * sizeof(int)));  // into its second half
    OK(cudaMemcpyToSymbolAsync(coefficients, floats, sizeof floats, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(back, table, sizeof back, 5 * sizeof(int)));
    EXPECT(back[0] == 2 && back[1] == 3);
    OK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == 32);
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaMemcpy(address, ints + 1, sizeof(int), cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, ints, 8 * sizeof(int), 4));
    float* out = device_array<float>(4);
    read<<<1, 4>>>(out);
    EXPECT_DONE();
    EXPECT(out[0] == 2.5f && out[1] == .25f && out[2] == .125f);
}

void of_the_host() {
    static int numbers[1024];
    int *same = nullptr, *pinned = nullptr, *device = nullptr;
    OK(cudaHostRegister(numbers, sizeof numbers, cudaHostRegisterMapped));
    EXPECT_ERROR(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(numbers, sizeof numbers, 0));
    OK(cudaHostGetDevicePointer(&same, numbers, 0));
    set<<<1, 8>>>(same, 5);
    EXPECT_DONE();
    EXPECT(numbers[7] == 5 && numbers[8] == 0);
    OK(cudaHostUnregister(numbers));
    EXPECT_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(numbers));

    OK(cudaHostAlloc(&pinned, 64, cudaHostAllocMapped));
    OK(cudaMalloc(&device, 64));
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, device + 3));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 && attributes.devicePointer == device + 3);
    OK(cudaPointerGetAttributes(&attributes, pinned));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned);
    OK(cudaPointerGetAttributes(&attributes, &pinned));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    OK(cudaFreeHost(pinned));
    OK(cudaFree(device));
}

void test() {
    rows();
    symbols();
    of_the_host();
}

}  // namespace memory

// Kernels by their address: the arguments are an array of pointers.
namespace by_address {

void test() {
    int* a = device_array<int>(4);
    int factor = 3, summand = 2;
    void* arguments[] = {&a, &factor, &summand};
    OK(cudaLaunchKernel((const void*)scale_and_add, dim3(1), dim3(4), arguments, 0, nullptr));
    void* kernel = (void*)&scale_and_add;
    OK(cudaLaunchKernel(kernel, dim3(1), dim3(3), arguments));
    summand = 9;
    void* set_arguments[] = {&a, &summand};
    OK(cudaLaunchKernel(reinterpret_cast<const void*>(set<int>), dim3(1), dim3(1), set_arguments));
    EXPECT_DONE();
    EXPECT(a[0] == 9 && a[1] == 8 && a[2] == 8 && a[3] == 2);

    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, (const void*)set<float>));
    EXPECT(attributes.maxThreadsPerBlock == 1024 && attributes.maxDynamicSharedSizeBytes == 48 * 1024);
    OK(cudaFuncGetAttributes(&attributes, set<float>));
    int grid = 0, block = 0;
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, set<int>, 0, 0));
    EXPECT(grid >= 1 && block >= 32);
}

}  // namespace by_address

namespace streams {

void count(void* counter) { ++*static_cast<int*>(counter); }
void CUDART_CB count_too(cudaStream_t, cudaError_t status, void* counter) {
    *static_cast<int*>(counter) += status == cudaSuccess ? 10 : 1000;
}

void test() {
    int least = 1, greatest = 1, priority = 1, counter = 0;
    unsigned flags = 0;
    cudaStream_t stream;
    cudaEvent_t event, timeless;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(least == 0 && greatest < 0);
    OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 100));
    OK(cudaStreamGetPriority(stream, &priority));
    OK(cudaStreamGetFlags(stream, &flags));
    EXPECT(priority == greatest && flags == cudaStreamNonBlocking);

    OK(cudaLaunchHostFunc(stream, count, &counter));
    OK(cudaStreamAddCallback(stream, count_too, &counter, 0));
    OK(cudaStreamSynchronize(stream));
    EXPECT(counter == 11 && cudaStreamQuery(stream) == cudaSuccess);

    float milliseconds = 0;
    OK(cudaEventCreate(&event));
    OK(cudaEventCreateWithFlags(&timeless, cudaEventDisableTiming));
    OK(cudaEventRecord(event, stream));
    OK(cudaEventRecord(timeless, stream));
    OK(cudaStreamWaitEvent(nullptr, event, 0));
    OK(cudaEventSynchronize(timeless));
    EXPECT(cudaEventQuery(event) == cudaSuccess);
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, event, timeless));
    OK(cudaEventDestroy(event));
    OK(cudaEventDestroy(timeless));
    OK(cudaStreamDestroy(stream));

    OK(cudaProfilerStart());
    OK(cudaProfilerStop());
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION, attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII, attributes.message.ascii = "streams";
    nvtxRangePushEx(&attributes);
    nvtxRangePush("a name for a profiler's time line");
    nvtxRangePop();
    nvtxRangePop();
    const nvtxRangeId_t range = nvtxRangeStartA("range");
    nvtxRangeEnd(range);
    size_t limit = 0;
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT(limit >= 16 << 20);
    int can = 1;
    OK(cudaDeviceGetAttribute(&can, cudaDevAttrComputeCapabilityMajor, 0));
    EXPECT(can == 9);
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorStreamCaptureUnjoined), "cudaErrorStreamCaptureUnjoined") == 0);
}

}  // namespace streams

namespace capture {

// Two streams: the second starts after the first node and ends before the last.
cudaGraph_t captured(int* a, int* from, int summand, cudaStream_t one, cudaStream_t two) {
    cudaEvent_t fork, join;
    cudaGraph_t graph = nullptr;
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpyAsync(a, from, 4 * sizeof(int), cudaMemcpyDefault, one));
    OK(cudaEventRecord(fork, one));
    OK(cudaStreamWaitEvent(two, fork, 0));
    scale_and_add<<<1, 2, 0, one>>>(a, 10, summand);
    OK(cudaMemsetAsync(a + 3, 0, sizeof(int), two));
    scale_and_add<<<1, 1, 0, two>>>(a + 2, 100, summand);
    OK(cudaEventRecord(join, two));
    OK(cudaStreamWaitEvent(one, join, 0));
    OK(cudaLaunchHostFunc(one, streams::count, &a[4]));
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    OK(cudaStreamIsCapturing(two, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(one, &graph));
    OK(cudaStreamIsCapturing(two, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
    return graph;
}

void replay(cudaStream_t one, cudaStream_t two) {
    int *a = device_array<int>(5), *from = device_array<int>(4);
    for (int i = 0; i < 4; i++) from[i] = i + 1;
    cudaGraph_t graph = captured(a, from, 5, one, two);
    EXPECT(a[0] == 0 && a[4] == 0);  // nothing has run
    size_t nodes = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 5);
    cudaGraphExec_t exec = nullptr;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) {
        from[0] = i;
        OK(cudaGraphLaunch(exec, one));
        OK(cudaStreamSynchronize(one));
        EXPECT(a[0] == 10 * i + 5 && a[1] == 25 && a[2] == 305 && a[3] == 0 && a[4] == i + 1);
    }
    cudaGraph_t other = captured(a, from, 6, one, two);  // the same with another argument
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, other, &info));
    EXPECT(info.result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(exec, one));
    OK(cudaStreamSynchronize(one));
    EXPECT(a[0] == 26 && a[2] == 306 && a[4] == 4);
#if CUDART_VERSION < 12000 || defined(CUDA_ON_CPU)
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
    OK(cudaGraphExecUpdate(exec, graph, nullptr, &result));
    EXPECT(result == cudaGraphExecUpdateSuccess);
#endif
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(other));
}

// What a capture forbids makes it invalid, and cudaStreamEndCapture() says so.
template <class F>
void forbids(cudaError_t error, cudaStream_t stream, F f) {
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(error, f());
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    EXPECT(graph == nullptr);
}

void test() {
    cudaStream_t one, two;
    OK(cudaStreamCreate(&one));
    OK(cudaStreamCreate(&two));
    replay(one, two);

    int* a = nullptr;
    int* b = device_array<int>(1);
    forbids(cudaErrorStreamCaptureUnsupported, one, [&] { return cudaStreamSynchronize(one); });
    forbids(cudaErrorStreamCaptureUnsupported, one, [&] { return cudaDeviceSynchronize(); });
    forbids(cudaErrorStreamCaptureUnsupported, one, [&] { return cudaMalloc(&a, 4); });
    forbids(cudaErrorStreamCaptureImplicit, one, [&] { return cudaMemsetAsync(b, 0, 4, nullptr); });
    cudaGraph_t graph;
    EXPECT_ERROR(cudaErrorIllegalState, cudaStreamEndCapture(one, &graph));

    cudaEvent_t event;  // a second stream that does not come back
    OK(cudaEventCreate(&event));
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&a, 4));
    OK(cudaEventRecord(event, one));
    OK(cudaStreamWaitEvent(two, event, 0));
    set<<<1, 1, 0, two>>>(b, 1);
    EXPECT_ERROR(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(one, &graph));
    set<<<1, 1, 0, two>>>(b, 2);
    EXPECT_DONE();
    EXPECT(*b == 2);
    OK(cudaEventDestroy(event));
    OK(cudaFree(a));
    OK(cudaStreamDestroy(one));
    OK(cudaStreamDestroy(two));
}

}  // namespace capture

namespace graphs {

void test() {
    int *a = device_array<int>(8), *out = device_array<int>(8), counter = 0;
    cudaGraph_t graph, child;
    cudaGraphNode_t fill, kernel, copy, host, empty, nested;
    OK(cudaGraphCreate(&graph, 0));

    cudaMemsetParams memset = {};
    memset.dst = a, memset.value = 7, memset.elementSize = 4, memset.width = 8, memset.height = 1;
    int factor = 2, summand = 1;
    void* arguments[] = {&a, &factor, &summand};
    cudaKernelNodeParams call = {};
    call.func = (void*)scale_and_add, call.gridDim = dim3(1), call.blockDim = dim3(4), call.kernelParams = arguments;
    cudaHostNodeParams function = {};
    function.fn = streams::count, function.userData = &counter;

    // Made in another order than they run in.
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, out, a, 8 * sizeof(int), cudaMemcpyDefault));
    OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset));
    OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &call));
    OK(cudaGraphAddHostNode(&host, graph, &kernel, 1, &function));
    OK(cudaGraphAddEmptyNode(&empty, graph, &host, 1));
    OK(cudaGraphAddDependencies(graph, &empty, &copy, nullptr, 1));
    summand = 1000;  // the node has a copy

    OK(cudaGraphCreate(&child, 0));
    cudaGraphNode_t again;
    OK(cudaGraphAddHostNode(&again, child, nullptr, 0, &function));
    OK(cudaGraphAddChildGraphNode(&nested, graph, &copy, 1, child));
    OK(cudaGraphDestroy(child));

    cudaGraphExec_t exec = nullptr;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == 15 && out[3] == 15 && out[4] == 7 && counter == 2);

    factor = 3, summand = 0;
    OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &call));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == 21 && out[4] == 7 && counter == 4);

    cudaGraph_t copied;
    cudaGraphExec_t of_copy = nullptr;
    size_t nodes = 0;
    OK(cudaGraphClone(&copied, graph));
    OK(cudaGraphGetNodes(copied, nullptr, &nodes));
    EXPECT(nodes == 6);
    OK(cudaGraphInstantiate(&of_copy, copied, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(of_copy, nullptr));
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == 15 && counter == 6);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphExecDestroy(of_copy));
    OK(cudaGraphDestroy(copied));
}

}  // namespace graphs

namespace rounding {

__global__ void calculate(float* f, double* d, float x, float y, double u, double v, int i, long long l) {
    int n = 0;
    f[n++] = __fadd_rn(x, y), f[n++] = __fadd_rz(x, y), f[n++] = __fadd_ru(x, y), f[n++] = __fadd_rd(x, y);
    f[n++] = __fsub_rn(x, y), f[n++] = __fsub_rz(-x, -y), f[n++] = __fsub_ru(x, y), f[n++] = __fsub_rd(x, y);
    f[n++] = __fmul_rn(x, x), f[n++] = __fmul_rz(x, x), f[n++] = __fmul_ru(x, x), f[n++] = __fmul_rd(-x, x);
    f[n++] = __fdiv_rn(1, 3), f[n++] = __fdiv_rz(-1, 3), f[n++] = __fdiv_ru(1, 3), f[n++] = __fdiv_rd(1, 3);
    f[n++] = __frcp_rn(3), f[n++] = __frcp_ru(3), f[n++] = __fsqrt_rd(2), f[n++] = __fsqrt_ru(2);
    f[n++] = __fmaf_rz(x, x, -1), f[n++] = __fmaf_ru(x, x, -1), f[n++] = __fmaf_rd(x, x, y),
    f[n++] = __fmaf_rn(x, x, y);
    f[n++] = __double2float_rz(u), f[n++] = __double2float_ru(u), f[n++] = __int2float_rz(i),
    f[n++] = __int2float_ru(i);
    f[n++] = __uint2float_rd(i), f[n++] = __ll2float_ru(l), f[n++] = __ull2float_rz(l), f[n++] = __int2float_rn(i);
    n = 0;
    d[n++] = __dadd_rn(u, v), d[n++] = __dadd_ru(u, v), d[n++] = __dsub_rd(u, v), d[n++] = __dmul_rz(u, u);
    d[n++] = __ddiv_ru(1, 3), d[n++] = __drcp_rd(3), d[n++] = __dsqrt_ru(2), d[n++] = __fma_ru(u, u, v);
    d[n++] = __ll2double_ru(l), d[n++] = __ll2double_rz(l), d[n++] = __hiloint2double(0x3ff00000, 0);
    d[n++] = __double2hiint(-1.0), d[n++] = __double2loint(u), d[n++] = CUDART_PI, d[n++] = double(CUDART_INF_F);
}

void test() {
    float* f = device_array<float>(32);
    double* d = device_array<double>(16);
    const float eps = 1.1920929e-7f, third = 0.333333343f, third_down = 0.333333313f;  // 2^-23; the two floats at 1/3
    const float x = 1 + eps, y = eps / 4;
    const double deps = 2.220446049250313e-16, u = 1 + deps, v = deps / 4;
    calculate<<<1, 1>>>(f, d, x, y, u, v, 16777217, (1ll << 53) + 1);
    EXPECT_DONE();
    const float floats[] = {x,
                            x,
                            1 + 2 * eps,
                            x,
                            x,
                            -1,
                            x,
                            1,
                            1 + 2 * eps,
                            1 + 2 * eps,
                            1 + 3 * eps,
                            -(1 + 3 * eps),
                            third,
                            -third_down,
                            third,
                            third_down,
                            third,
                            third,
                            1.41421354f,
                            1.41421366f,
                            2 * eps,
                            2 * eps * x,
                            1 + 2 * eps,
                            1 + 2 * eps,
                            1,
                            x,
                            16777216,
                            16777218,
                            16777216,
                            9007200328482816,
                            9007199254740992,
                            16777216};
    for (int k = 0; k < 32; k++)
        if (f[k] != floats[k]) std::printf("rounding: f[%d] is %.9g, not %.9g\n", k, f[k], floats[k]), failures++;
    const double doubles[] = {u,
                              1 + 2 * deps,
                              1,
                              1 + 2 * deps,
                              0.33333333333333337,
                              0.33333333333333331,
                              1.4142135623730951,
                              1 + 3 * deps,
                              9007199254740994,
                              9007199254740992,
                              1,
                              double(int(0xbff00000)),
                              1,
                              3.141592653589793,
                              HUGE_VAL};
    for (int k = 0; k < 15; k++)
        if (d[k] != doubles[k]) std::printf("rounding: d[%d] is %.17g, not %.17g\n", k, d[k], doubles[k]), failures++;
}

}  // namespace rounding

namespace packed {

__global__ void calculate(unsigned* r, unsigned a, unsigned b) {
    int n = 0;
    r[n++] = unsigned(__dp4a(int(a), int(b), 5)), r[n++] = __dp4a(a, b, 5u);
    r[n++] = unsigned(__dp4a(make_char4(1, -2, 3, -4), make_char4(5, 6, -7, 8), 100));
    r[n++] = unsigned(__dp2a_lo(int(a), int(b), 1)), r[n++] = unsigned(__dp2a_hi(int(a), int(b), 1));
    r[n++] = __dp2a_lo(a, b, 1u), r[n++] = __dp2a_hi(a, b, 1u);
    r[n++] = __vadd4(a, b), r[n++] = __vaddss4(a, b), r[n++] = __vaddus4(a, b), r[n++] = __vsub2(a, b);
    r[n++] = __vsubus4(a, b), r[n++] = __vavgu4(a, b), r[n++] = __vavgs4(a, b), r[n++] = __vhaddu2(a, b);
    r[n++] = __vmaxs4(a, b), r[n++] = __vmaxu4(a, b), r[n++] = __vmins2(a, b), r[n++] = __vminu2(a, b);
    r[n++] = __vabsdiffu4(a, b), r[n++] = __vabsdiffs4(a, b), r[n++] = __vsadu4(a, b), r[n++] = __vsads2(a, b);
    r[n++] = __vabs4(a), r[n++] = __vabsss4(a), r[n++] = __vneg2(a), r[n++] = __vnegss4(a);
    r[n++] = __vcmpgts4(a, b), r[n++] = __vcmpgtu4(a, b), r[n++] = __vseteq4(a, b), r[n++] = __vsetltu2(a, b);
    r[n++] = __funnelshift_lc(a, b, 40), r[n++] = __funnelshift_rc(a, b, 40), r[n++] = __funnelshift_lc(a, b, 8);
    const cuComplex z =
        cuCdivf(cuCmulf(make_cuComplex(1, 2), make_cuComplex(3, -1)), make_cuComplex(0, 1));  // 5 + 5i by i
    r[n++] = unsigned(10 * cuCrealf(z)), r[n++] = unsigned(int(10 * cuCimagf(cuConjf(z))));
    r[n++] = __uhadd(0xffffffff, 1), r[n++] = __urhadd(0xffffffff, 2), r[n++] = umax(3, 4),
    r[n++] = unsigned(llmin(-1, 2));
}

void test() {
    unsigned* r = device_array<unsigned>(64);
    calculate<<<1, 1>>>(r, 0x80ff7f01, 0x807e7f02);
    EXPECT_DONE();
    const unsigned expected[] = {0x7e8a,     0xfc8a,     0x28,       0xffc1fc84, 0x7e02ff,   0x40fc84,   0x7f01ff,
                                 0x7dfe03,   0x807d7f03, 0xfffffe03, 0x81ffff,   0x810000,   0x80bf7f02, 0x803f7f02,
                                 0x80be7f01, 0x807e7f02, 0x80ff7f02, 0x807e7f01, 0x807e7f01, 0x810001,   0x7f0001,
                                 0x82,       0x82,       0x80017f01, 0x7f017f01, 0x7f0180ff, 0x7f0181ff, 0x0,
                                 0xff0000,   0x1000100,  0x1,        0x80ff7f01, 0x807e7f02, 0x7e7f0280, 50,
                                 50,         0x80000000, 0x80000001, 0x4,        0xffffffff};
    for (unsigned k = 0; k < sizeof expected / sizeof *expected; k++)
        if (r[k] != expected[k]) std::printf("packed: r[%u] is 0x%x, not 0x%x\n", k, r[k], expected[k]), failures++;
}

}  // namespace packed

int main() {
    memory::test();
    by_address::test();
    streams::test();
    capture::test();
    graphs::test();
    rounding::test();
    packed::test();
    return report();
}
