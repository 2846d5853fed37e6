// operands.h: what the bindings of chapters 16 to 18 do before a launch: check a and b, and find how each lies in
// memory.
//
//   check_product(a, b, {ScalarType::Float});
//   const DeviceGuard guard(a.get_device_index());
//   const Product p = product_of(a, b);
//   launch_matmul(data<float>(p.out), p.a.matrix<float>(), p.b.matrix<float>(), p.batches, p.m, p.n, p.k, ...);
//   return p.out;
#pragma once
#include <limits>
#include <vector>

#include "common/stable.h"
#include "matrix.h"

// A tensor of 2 or 3 dimensions whose last two are matrices.
struct Operand {
    Tensor tensor;
    int64_t stride, batch_stride;
    bool transposed;

    template <class T>
    Matrix<T> matrix() const {
        return {data<const T>(tensor), stride, batch_stride, transposed};
    }
};

// A kernel reads a matrix in place if its rows or its columns are contiguous, as in x.mT, x[:, 3:] and x[::2]. Other
// views, such as x[:, ::2], are copied first. A contiguous matrix of one column is a single long line in memory, and
// not many rows of one element.
inline Operand operand_of(const Tensor& x) {
    const int64_t d = x.dim(), rows = x.size(d - 2), columns = x.size(d - 1);
    const int64_t batch_stride = d == 3 ? x.stride(0) : 0;
    if (columns == 1 && x.stride(d - 2) == 1) return {x, rows, batch_stride, true};
    if (x.stride(d - 1) == 1 || columns == 1) return {x, x.stride(d - 2), batch_stride, false};
    if (x.stride(d - 2) == 1 || rows == 1) return {x, x.stride(d - 1), batch_stride, true};
    const Tensor copy = torch::stable::contiguous(x);
    return {copy, columns, d == 3 ? rows * columns : 0, false};
}

// out[batches, m, n] = a[batches, m, k] @ b[batches, k, n]
struct Product {
    Operand a, b;
    Tensor out;
    int64_t batches, m, n, k;
};

inline void check_sides(const Tensor& x, const char* name) {
    for (int64_t side : x.sizes())
        STD_TORCH_CHECK(side <= std::numeric_limits<int>::max(), name,
                        " must have at most 2147483647 rows and columns, ", "got the shape [", joined(x.sizes()), "]");
}

// a: [m, k] or [batches, m, k]; b: [k, n] or [batches, k, n]. Both have one of these dtypes, and any strides.
inline void check_product(const Tensor& a, const Tensor& b, std::initializer_list<ScalarType> dtypes) {
    check_tensor(a, "a", dtypes);
    check_tensor(b, "b", {a.scalar_type()});
    const int64_t d = a.dim();
    STD_TORCH_CHECK(d == 2 || d == 3, "a must have 2 or 3 dimensions, got ", d);
    const bool fits = (b.dim() == 2 || b.dim() == 3) && b.size(b.dim() - 2) == a.size(d - 1) &&
                      (d == 2 || b.dim() == 2 || a.size(0) == b.size(0));
    STD_TORCH_CHECK(fits, "b must have the shape [", a.size(d - 1), ", n] or [",
                    d == 3 ? std::to_string(a.size(0)) : "batches", ", ", a.size(d - 1), ", n], as a has the shape [",
                    joined(a.sizes()), "], got [", joined(b.sizes()), "]");
    check_sides(a, "a");
    check_sides(b, "b");
    check_same_device(a, "a", b, "b");
}

inline Product product_of(const Tensor& a, const Tensor& b) {
    Product p{operand_of(a), operand_of(b), {}, 1, a.size(a.dim() - 2), b.size(b.dim() - 1), a.size(a.dim() - 1)};
    std::vector<int64_t> shape = {p.m, p.n};
    if (a.dim() == 3 || b.dim() == 3) {
        p.batches = a.dim() == 3 ? a.size(0) : b.size(0);
        shape.insert(shape.begin(), p.batches);
    }
    p.out = torch::stable::new_empty(a, shape);
    // A batch of matrices that lie one after another, times one matrix, is one tall product.
    // (Transposed ones could also overlap so; those stay a batch.)
    const bool by_rows = !p.a.transposed || p.k == 1;
    const bool one_after_another = by_rows && p.a.batch_stride == p.m * (p.a.transposed ? 1 : p.a.stride);
    if (b.dim() == 2 && one_after_another && p.batches * p.m <= std::numeric_limits<int>::max())
        p.m *= p.batches, p.batches = 1;
    return p;
}
