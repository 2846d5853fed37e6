// gelu.cu: bias and GELU after a product that another kernel has made. No torch header in here.
#include "gelu.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "device/number.h"
#include "wgmma.h"

template <class T>
__global__ void __launch_bounds__(256) bias_and_f_kernel(T* x, const T* bias, Activation f, int64_t rows, int64_t n) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * n;
         i += int64_t(gridDim.x) * blockDim.x) {
        const float y = number(x[i]) + number(bias[i % n]);
        x[i] = T(f == Activation::gelu ? gelu(y) : f == Activation::gelu_tanh ? gelu_tanh(y) : y);
    }
}

template <class T>
void launch_bias_and_f(T* x, const T* bias, Activation f, int64_t rows, int64_t n, cudaStream_t stream) {
    if (rows * n == 0) return;
    bias_and_f_kernel<<<unsigned(std::min<int64_t>((rows * n + 255) / 256, 1 << 20)), 256, 0, stream>>>(x, bias, f,
                                                                                                        rows, n);
    CHECK_LAUNCH();
}

template void launch_bias_and_f(__half*, const __half*, Activation, int64_t, int64_t, cudaStream_t);
template void launch_bias_and_f(__nv_bfloat16*, const __nv_bfloat16*, Activation, int64_t, int64_t, cudaStream_t);
