// matrix.h: a matrix as it lies in memory, for the kernels of chapters 16 to 18. No torch.
#pragma once
#include <cstdint>

// Element (i, j) of matrix z of a batch is data[z * batch_stride + i * stride + j], or, where the matrix is a
// transposed view of what lies in memory, data[z * batch_stride + j * stride + i]. Strides count elements.
template <class T>
struct Matrix {
    const T* data;
    int64_t stride;
    int64_t batch_stride;
    bool transposed;
};
