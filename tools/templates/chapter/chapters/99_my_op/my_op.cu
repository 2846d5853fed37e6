// my_op.cu: the kernel and its launcher.
// No torch header in here, so nvcc compiles it in seconds.
#include "my_op.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// One thread for each element. The index has 64 bits, because a tensor may have more than 2^31 elements.
template <class T>
__global__ void my_op_kernel(T* out, const T* x, int64_t n, float factor) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = T(factor * float(x[i]));
}

template <class T>
void launch_my_op(T* out, const T* x, int64_t n, float factor, cudaStream_t stream) {
    if (n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int threads = 256;
    my_op_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, x, n, factor);
    CHECK_LAUNCH();
}

// The compiler makes code of a template only for a T that it is asked for.
template void launch_my_op(float*, const float*, int64_t, float, cudaStream_t);
template void launch_my_op(__half*, const __half*, int64_t, float, cudaStream_t);
template void launch_my_op(__nv_bfloat16*, const __nv_bfloat16*, int64_t, float, cudaStream_t);
