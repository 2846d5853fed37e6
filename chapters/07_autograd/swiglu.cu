// swiglu.cu: three kernels and their launchers, for float, double and half precision. No torch header in here.
//
// SwiGLU is silu(a) * b: N. Shazeer, "GLU Variants Improve Transformer", 2020, arXiv:2002.05202. silu and its
// derivative, s * (1 + a * (1 - s)) with s = sigmoid(a): S. Elfwing, E. Uchibe, K. Doya, 2017, arXiv:1702.03118.
#include "swiglu.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <type_traits>

#include "common/cuda_check.h"
#include "common/grid.h"

constexpr int threads = 256;
constexpr unsigned most_blocks = 1 << 20;  // the kernels' loops go on beyond them

// What a kernel computes with. Half precision is for memory: its numbers become floats when they are read, and a result
// is rounded once, when it is written.
template <class T>
using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;

// The kernel and the launcher of chapter 03, with T for float.
template <class T>
__global__ void add_forward_kernel(T* c, const T* a, const T* b, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
        c[i] = T(Number<T>(a[i]) + Number<T>(b[i]));
}

template <class T>
void launch_add_forward(T* c, const T* a, const T* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    add_forward_kernel<<<std::min(blocks_for(n, threads), most_blocks), threads, 0, stream>>>(c, a, b, n);
    CHECK_LAUNCH();
}

// V elements that move in one instruction, as the float4 of chapter 06: 4 floats, 2 doubles or 8 elements of half
// precision are 16 bytes. With V = 1 it is a plain element.
template <class T, int V>
struct alignas(V * sizeof(T)) Pack {
    T at[V];
};

template <int V, class T>
__device__ Pack<Number<T>, V> load(const T* p) {
    const Pack<T, V> pack = *reinterpret_cast<const Pack<T, V>*>(p);
    Pack<Number<T>, V> numbers;
    for (int k = 0; k < V; k++) numbers.at[k] = Number<T>(pack.at[k]);
    return numbers;
}

template <int V, class T>
__device__ void store(T* p, const Pack<Number<T>, V>& numbers) {
    Pack<T, V> pack;
    for (int k = 0; k < V; k++) pack.at[k] = T(numbers.at[k]);
    *reinterpret_cast<Pack<T, V>*>(p) = pack;
}

// A Pack of 16 bytes has to begin at a multiple of 16 bytes. A tensor of torch's own does, its slice x[1:] does not.
// nullptr is 0, a multiple as well.
template <class T>
static bool aligned(std::initializer_list<const T*> pointers) {
    return std::all_of(pointers.begin(), pointers.end(), [](const T* p) { return uintptr_t(p) % 16 == 0; });
}

// For a large negative x, exp(-x) is infinity and 1 / infinity is 0: no NaN on either side.
template <class T>
__device__ T sigmoid(T x) {
    return 1 / (1 + std::exp(-x));
}

// V neighbouring elements. x / (1 + exp(-x)) is x * sigmoid(x) with one rounding less.
template <int V, class T>
__device__ void swiglu_forward(T* out, const T* a, const T* b) {
    const auto x = load<V>(a), y = load<V>(b);
    Pack<Number<T>, V> result;
    for (int k = 0; k < V; k++) result.at[k] = x.at[k] / (1 + std::exp(-x.at[k])) * y.at[k];
    store<V>(out, result);
}

// Packs of V elements first, then the last n % V elements one by one.
template <class T, int V>
__global__ void swiglu_forward_kernel(T* out, const T* a, const T* b, int64_t n) {
    const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = first * V; i + V <= n; i += stride * V) swiglu_forward<V>(out + i, a + i, b + i);
    for (int64_t i = n / V * V + first; i < n; i += stride) swiglu_forward<1>(out + i, a + i, b + i);
}

template <class T>
void launch_swiglu_forward(T* out, const T* a, const T* b, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int V = 16 / sizeof(T);
    const bool wide = aligned<T>({out, a, b});
    const auto kernel = wide ? swiglu_forward_kernel<T, V> : swiglu_forward_kernel<T, 1>;
    const unsigned blocks = std::min(blocks_for(n, threads * (wide ? V : 1)), most_blocks);
    kernel<<<blocks, threads, 0, stream>>>(out, a, b, n);
    CHECK_LAUNCH();
}

// Both gradients in one pass: grad, a, b and the sigmoid are needed for either.
template <int V, class T>
__device__ void swiglu_backward(T* grad_a, T* grad_b, const T* grad, const T* a, const T* b, int64_t i) {
    Pack<Number<T>, V> g = load<V>(grad + i), x = load<V>(a + i), y = {}, da, db;
    if (grad_a) y = load<V>(b + i);
    for (int k = 0; k < V; k++) {
        const auto s = sigmoid(x.at[k]);
        da.at[k] = g.at[k] * y.at[k] * s * (1 + x.at[k] * (1 - s));
        db.at[k] = g.at[k] * x.at[k] * s;
    }
    if (grad_a) store<V>(grad_a + i, da);  // true for all threads or for none: no warp runs both ways
    if (grad_b) store<V>(grad_b + i, db);
}

template <class T, int V>
__global__ void swiglu_backward_kernel(T* grad_a, T* grad_b, const T* grad, const T* a, const T* b, int64_t n) {
    const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = first * V; i + V <= n; i += stride * V) swiglu_backward<V>(grad_a, grad_b, grad, a, b, i);
    for (int64_t i = n / V * V + first; i < n; i += stride) swiglu_backward<1>(grad_a, grad_b, grad, a, b, i);
}

template <class T>
void launch_swiglu_backward(T* grad_a, T* grad_b, const T* grad, const T* a, const T* b, int64_t n,
                            cudaStream_t stream) {
    if (n == 0 || (!grad_a && !grad_b)) return;
    constexpr int V = 16 / sizeof(T);
    const bool wide = aligned<T>({grad_a, grad_b, grad, a, b});
    const auto kernel = wide ? swiglu_backward_kernel<T, V> : swiglu_backward_kernel<T, 1>;
    const unsigned blocks = std::min(blocks_for(n, threads * (wide ? V : 1)), most_blocks);
    kernel<<<blocks, threads, 0, stream>>>(grad_a, grad_b, grad, a, b, n);
    CHECK_LAUNCH();
}

// The compiler makes code of a template only for a T that it is asked for. swiglu.cpp, which calls these functions,
// does not see their bodies: so this file asks for each T.
#define FOR_TYPE(T)                                                                     \
    template void launch_add_forward(T*, const T*, const T*, int64_t, cudaStream_t);    \
    template void launch_swiglu_forward(T*, const T*, const T*, int64_t, cudaStream_t); \
    template void launch_swiglu_backward(T*, T*, const T*, const T*, const T*, int64_t, cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(double)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
