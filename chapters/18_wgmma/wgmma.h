// wgmma.h: what wgmma.cu and gelu.cu offer wgmma.cpp, for T = __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "../16_matmul/matrix.h"

// What happens to a result on its way to memory: F.gelu(result, approximate="none" or "tanh").
enum class Activation { none, gelu, gelu_tanh };

// out[z] = f(a[z] b[z] + bias): a[z] is m x k, b[z] is k x n, and out is contiguous.
template <class T>
struct WgmmaProduct {
    T* out;
    Matrix<T> a, b;
    int64_t batches, m, n, k;
    const T* bias = nullptr;  // n numbers; null: none
    Activation f = Activation::none;
};

// Why the current device cannot run these kernels, or "".
std::string why_no_wgmma();

// Work is done in the order of `stream`. step: "auto", "direct" or a rung of ladder.cu (both without bias and f), or a
// tile of plan.h. workspace: workspace_bytes of the current device. Throws std::runtime_error when a launch fails.
template <class T>
int64_t workspace_bytes(const WgmmaProduct<T>& product, const std::string& step);
template <class T>
void launch_wgmma(const WgmmaProduct<T>& product, const std::string& step, void* workspace, cudaStream_t stream);

// In place: x[r][c] = f(x[r][c] + bias[c]), for rows of n numbers. For products that another kernel has made.
template <class T>
void launch_bias_and_f(T* x, const T* bias, Activation f, int64_t rows, int64_t n, cudaStream_t stream);
