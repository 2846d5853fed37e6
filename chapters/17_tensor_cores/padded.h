// padded.h: copies of operands that do not consist of whole packs. A row of a copy begins at a multiple of 16 bytes,
// and ends with zeros, which add nothing to a sum.
#pragma once
#include <algorithm>
#include <cstdint>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "tensor_cores.h"
#include "tiles.h"

// Rows to copy, as they lie in memory: the columns of a transposed matrix.
template <class T>
struct Padded {
    Matrix<T> x;
    int64_t matrices, rows, columns;
    T* to;

    __host__ __device__ int64_t packs() const { return (columns + 7) / 8; }  // of a row
    int64_t elements() const { return matrices * rows * packs() * 8; }
};

// The copy that this operand needs: of no matrices, if it consists of whole packs already.
template <class T>
Padded<T> padded(Matrix<T> x, int64_t rows, int64_t columns, int64_t batches) {
    if (x.batch_stride == 0) batches = 1;  // all batches share it
    const int64_t matrices = whole_packs(x, rows, columns) ? 0 : batches;
    if (x.transposed) std::swap(rows, columns);
    return {x, matrices, rows, columns, nullptr};
}

// A thread copies a pack.
template <class T>
__global__ void __launch_bounds__(256) pad_kernel(Padded<T> first, Padded<T> second) {
    const Padded<T> c = blockIdx.y == 0 ? first : second;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, packs = unsigned(c.packs()), rows = unsigned(c.rows);
    const unsigned row = i / packs, matrix = row / rows, column = i % packs * 8;
    if (matrix >= c.matrices) return;
    const T* from = c.x.data + matrix * c.x.batch_stride + row % rows * c.x.stride + column;
    reinterpret_cast<uint4*>(c.to)[i] = load_pack(from, int(min(c.columns - column, int64_t(8))));
}

// Copies both operands to `to`, in one launch, and leaves the copies in their places.
template <class T>
void launch_padding(Padded<T>& a, Padded<T>& b, T* to, cudaStream_t stream) {
    Padded<T> copies[2];
    unsigned count = 0;
    int64_t packs = 0;
    for (Padded<T>* c : {&a, &b}) {
        if (c->elements() == 0) continue;
        c->to = to, copies[count++] = *c;
        packs = std::max(packs, c->elements() / 8);
        const int64_t stride = c->packs() * 8;
        c->x = {to, stride, c->x.batch_stride == 0 ? 0 : c->rows * stride, c->x.transposed};
        to += c->elements();
    }
    if (count == 0) return;
    pad_kernel<<<dim3(blocks_for(packs, 256), count), 256, 0, stream>>>(copies[0], copies[1]);
    CHECK_LAUNCH();
}
