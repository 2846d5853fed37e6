// swiglu.cu: three kernels and their launchers, for float, double and half precision. It includes no torch header.
//
// SwiGLU is silu(a) * b: N. Shazeer, "GLU Variants Improve Transformer", 2020, arXiv:2002.05202. silu and its
// derivative, s * (1 + a * (1 - s)) with s = sigmoid(a): S. Elfwing, E. Uchibe, K. Doya, 2017, arXiv:1702.03118.
#include "swiglu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "device/number.h"

constexpr int threads = 256;
constexpr unsigned most_blocks = 1 << 20;  // for more elements, the kernels' loops run more than once

// V elements that one instruction loads or stores, like the float4 of chapter 06: 4 floats, 2 doubles or 8 elements of
// half precision are 16 bytes. With V = 1, a Pack is a single element.
template <class T, int V>
struct alignas(V * sizeof(T)) Pack {
    T at[V];
};

template <class T>
constexpr int widest = 16 / sizeof(T);

// A Pack of 16 bytes has to begin at a multiple of 16 bytes. Tensors that torch allocates do, and a slice x[1:] may
// not. nullptr is 0, which is a multiple of 16.
template <class T>
__host__ __device__ bool aligned(const T* p) {
    return uintptr_t(p) % 16 == 0;
}

// anywhere: p need not be a multiple of 16 bytes, and each element takes a load of its own. Most of these loads find
// their bytes in the L1 cache.
template <int V, bool anywhere, class T>
__device__ Pack<Number<T>, V> load(const T* p) {
    Pack<T, V> pack;
    if constexpr (anywhere)
        for (int k = 0; k < V; k++) pack.at[k] = p[k];
    else
        pack = *reinterpret_cast<const Pack<T, V>*>(p);
    Pack<Number<T>, V> numbers;
    for (int k = 0; k < V; k++) numbers.at[k] = Number<T>(pack.at[k]);
    return numbers;
}

// Where arrays begin anywhere, a result may still begin at a multiple of 16 bytes. Then it takes one store: V stores
// would write each sector in V parts. (uint4, because from an if with a Pack on one side and its elements on the other,
// some host compilers make one access of 16 bytes for both.)
template <int V, bool anywhere, class T>
__device__ void store(T* p, const Pack<Number<T>, V>& numbers) {
    Pack<T, V> pack;
    for (int k = 0; k < V; k++) pack.at[k] = T(numbers.at[k]);
    if constexpr (V > 1) {
        uint4 bytes;
        memcpy(&bytes, &pack, sizeof bytes);
        if (!anywhere || aligned(p)) return void(*reinterpret_cast<uint4*>(p) = bytes);
    }
    for (int k = 0; k < V; k++) p[k] = pack.at[k];
}

// For a large negative x, exp(-x) is infinite, and 1 / infinity is 0, not NaN.
template <class T>
__device__ T sigmoid(T x) {
    return 1 / (1 + std::exp(-x));
}

// V neighbouring elements. x / (1 + exp(-x)) equals x * sigmoid(x), and rounds once less.
template <int V, bool anywhere, class T>
__device__ void swiglu_forward(T* out, const T* a, const T* b) {
    const auto x = load<V, anywhere>(a), y = load<V, anywhere>(b);
    Pack<Number<T>, V> result;
    for (int k = 0; k < V; k++) result.at[k] = x.at[k] / (1 + std::exp(-x.at[k])) * y.at[k];
    store<V, anywhere>(out, result);
}

// The first loop computes packs of V elements, the second one the last n % V elements.
template <class T, bool anywhere>
__global__ void swiglu_forward_kernel(T* out, const T* a, const T* b, int64_t n) {
    constexpr int V = widest<T>;
    const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = first * V; i + V <= n; i += stride * V) swiglu_forward<V, anywhere>(out + i, a + i, b + i);
    for (int64_t i = n / V * V + first; i < n; i += stride) swiglu_forward<1, true>(out + i, a + i, b + i);
}

template <class T>
void launch_swiglu_forward(T* out, const T* a, const T* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    const unsigned blocks = std::min(blocks_for(n, threads * widest<T>), most_blocks);
    const bool packs = aligned(out) && aligned(a) && aligned(b);
    const auto kernel = packs ? swiglu_forward_kernel<T, false> : swiglu_forward_kernel<T, true>;
    kernel<<<blocks, threads, 0, stream>>>(out, a, b, n);
    CHECK_LAUNCH();
}

// Both gradients in one pass, because they share grad, a and the sigmoid.
template <int V, bool anywhere, class T>
__device__ void swiglu_backward(T* grad_a, T* grad_b, const T* grad, const T* a, const T* b, int64_t i) {
    Pack<Number<T>, V> g = load<V, anywhere>(grad + i), x = load<V, anywhere>(a + i), y = {}, da, db;
    if (grad_a) y = load<V, anywhere>(b + i);
    // First multiply by s, which may be 0. The product of two large numbers may overflow, and infinity * 0 is NaN.
    for (int k = 0; k < V; k++) {
        const auto s = sigmoid(x.at[k]);
        da.at[k] = g.at[k] * (y.at[k] * (s * (1 + x.at[k] * (1 - s))));
        db.at[k] = g.at[k] * (x.at[k] * s);
    }
    if (grad_a) store<V, anywhere>(grad_a + i, da);  // the same for all threads, so no warp diverges
    if (grad_b) store<V, anywhere>(grad_b + i, db);
}

template <class T, bool anywhere>
__global__ void swiglu_backward_kernel(T* grad_a, T* grad_b, const T* grad, const T* a, const T* b, int64_t n) {
    constexpr int V = widest<T>;
    const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = first * V; i + V <= n; i += stride * V)
        swiglu_backward<V, anywhere>(grad_a, grad_b, grad, a, b, i);
    for (int64_t i = n / V * V + first; i < n; i += stride) swiglu_backward<1, true>(grad_a, grad_b, grad, a, b, i);
}

template <class T>
void launch_swiglu_backward(T* grad_a, T* grad_b, const T* grad, const T* a, const T* b, int64_t n,
                            cudaStream_t stream) {
    if (n == 0 || (!grad_a && !grad_b)) return;
    const unsigned blocks = std::min(blocks_for(n, threads * widest<T>), most_blocks);
    const bool packs = aligned(grad_a) && aligned(grad_b) && aligned(grad) && aligned(a) && aligned(b);
    const auto kernel = packs ? swiglu_backward_kernel<T, false> : swiglu_backward_kernel<T, true>;
    kernel<<<blocks, threads, 0, stream>>>(grad_a, grad_b, grad, a, b, n);
    CHECK_LAUNCH();
}

// a + b, from the blog notes: the kernel and the launcher of chapter 03, with T in the place of float.
template <class T>
__global__ void add_forward_kernel(T* c, const T* a, const T* b, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
#pragma unroll 1
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
        c[i] = T(Number<T>(a[i]) + Number<T>(b[i]));
}

template <class T>
void launch_add_forward(T* c, const T* a, const T* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    add_forward_kernel<<<std::min(blocks_for(n, threads), most_blocks), threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}

// The compiler generates code from a template only for types that are requested. swiglu.cpp calls these functions but
// does not see their bodies, so this file has to request each type.
#define FOR_TYPE(T)                                                                                    \
    template void launch_swiglu_forward(T*, const T*, const T*, int64_t, cudaStream_t);                \
    template void launch_swiglu_backward(T*, T*, const T*, const T*, const T*, int64_t, cudaStream_t); \
    template void launch_add_forward(T*, const T*, const T*, int64_t, cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(double)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
