// weight_gradient.h: the gradient of weight, a sum over all rows, in the same order each time: for rms_norm.cu. No
// torch.
#pragma once
#include <cstdint>

#include "device/number.h"
#include "row_part.h"

// The sum over threads t, t + columns, t + 2 * columns ... of a block, for threads t < columns.
template <class N>
__device__ N over_column(N mine, int columns, int groups) {
    __shared__ N sums[512];
    const int t = int(threadIdx.y * blockDim.x + threadIdx.x);
    __syncthreads();  // an earlier call's sums have been read
    sums[t] = mine;
    while (groups > 1) {
        const int half = (groups + 1) / 2;
        __syncthreads();
        if (t < (groups - half) * columns) sums[t] += sums[t + half * columns];
        groups = half;
    }
    return sums[t];
}

// Each block writes what its rows add, for n columns, as a part of a row of `partial`. A block that has all rows is
// given `gradient` as well, and writes there.
template <Layout layout, class T, int count>
__device__ void write_sums(Number<T>* partial, T* gradient, int n, const Number<T> (&of_weight)[count]) {
    UNROLL for (int i = 0; i < count; i++) {
        const Number<T> sum = over_column(of_weight[i], int(blockDim.x), int(blockDim.y));
        const int c = column_of<layout, Pack<T>::SIZE>(i);
        if (threadIdx.y > 0 || c >= n) continue;
        if (gradient)
            gradient[c] = T(sum);
        else
            partial[c] = sum;
    }
}

template <class T>
__global__ void __launch_bounds__(512) sum_kernel(T* sum, const Number<T>* partial, int64_t rows, int64_t n) {
    const int64_t c = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    Number<T> mine = 0;
    for (int64_t row = threadIdx.y; c < n && row < rows; row += blockDim.y) mine += partial[row * n + c];
    mine = over_column(mine, int(blockDim.x), int(blockDim.y));
    if (threadIdx.y == 0 && c < n) sum[c] = T(mine);
}
