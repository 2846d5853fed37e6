// wmma: products of small matrices, by a warp. A fragment is what one lane holds of a matrix. Which elements these are
// is CUDA's secret; here they are neighbours. So x[i] of two fragments of one shape is the same element, as on a GPU.
#pragma once

#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda_on_cpu/all_lanes.h"

#pragma GCC visibility push(hidden)

namespace nvcuda::wmma {

// ---- fragments -----------------------------------------------------------------------------------------------------
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

}  // namespace nvcuda::wmma

namespace cuda_on_cpu::wmma {

using namespace nvcuda::wmma;

template <class T, class... Types>
constexpr bool is_one_of = (std::is_same<T, Types>::value || ...);

template <class T>
using Storage = std::conditional_t<std::is_same<T, precision::tf32>::value, float, T>;

template <class Use, class T, class Layout>
constexpr bool has_type(int m, int n, int k) {
    constexpr bool result = std::is_same<Use, accumulator>::value;
    if (result ? !std::is_void<Layout>::value : !is_one_of<Layout, row_major, col_major>) return false;
    if (m == 8 && n == 8 && k == 4) return is_one_of<T, double>;
    if (m == 16 && n == 16 && k == 8) return result ? is_one_of<T, float> : is_one_of<T, precision::tf32>;
    if (k != 16 || !((m == 16 && n == 16) || (m == 8 && n == 32) || (m == 32 && n == 8))) return false;
    return result ? is_one_of<T, float, __half, int> : is_one_of<T, __half, __nv_bfloat16, signed char, unsigned char>;
}

}  // namespace cuda_on_cpu::wmma

namespace nvcuda::wmma {

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
    static_assert(cuda_on_cpu::wmma::has_type<Use, T, Layout>(m, n, k),
                  "wmma has no fragment of this shape, type and layout (experimental ones are not in CUDA on CPU)");
    static constexpr int rows = std::is_same<Use, matrix_b>::value ? k : m;
    static constexpr int columns = std::is_same<Use, matrix_a>::value ? k : n;
    static constexpr int num_elements = rows * columns / 32, num_storage_elements = num_elements;
    using element_type = T;
    using storage_element_type = cuda_on_cpu::wmma::Storage<T>;
    storage_element_type x[num_elements];
};

inline float __float_to_tf32(float x) {  // 10 bits of mantissa; ties away from 0
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    u = x != x ? 0x7fffffff : (u + 0x1000) & 0xffffe000;
    memcpy(&x, &u, sizeof x);
    return x;
}

template <class Use, int m, int n, int k, class T, class Layout, class Value>
void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const Value& value) {
    for (auto& x : f.x) x = typename fragment<Use, m, n, k, T, Layout>::storage_element_type(value);
}

}  // namespace nvcuda::wmma

// ---- what the functions below do -----------------------------------------------------------------------------------
namespace cuda_on_cpu::wmma {

struct Matrix {
    const void* memory;
    unsigned step;  // from a row or column to the next
};
inline void agree(Matrix* const (&lanes)[32]) {
    for (const Matrix* m : lanes)
        if (m->memory != lanes[0]->memory || m->step != lanes[0]->step)
            fail("wmma: the lanes of a warp give different addresses or leading dimensions");
}

// Calls move(element of the fragment, element in memory), when all lanes have come.
template <class Fragment, class Pointer, class Move>
void each_element(const char* function, Fragment& f, Pointer p, unsigned step, bool by_rows, Move move,
                  Location where) {
    Matrix matrix{p, step};
    all_lanes<Matrix, agree>(function, matrix, where);
    if (step * sizeof *p % 16 != 0 || reinterpret_cast<uintptr_t>(p) % 16 != 0)
        fail(std::string(function) + " at " + text(where) +
             ": the address and the leading dimension must be multiples of 16 bytes");
    for (unsigned i = 0; i < f.num_elements; i++) {
        const unsigned e = self->lane() * f.num_elements + i, row = e / f.columns, column = e % f.columns;
        auto& element = p[by_rows ? row * step + column : column * step + row];
        CUDA_ON_CPU_RECORD(touches(&element, sizeof element, std::is_const<Fragment>::value, where.file, where.line));
        move(f.x[i], element);
    }
}

template <class T>
auto number(const T& x) {  // the same value in a type that holds products exactly
    if constexpr (std::is_integral<T>::value)
        return int64_t(x);
    else if constexpr (std::is_arithmetic<T>::value)
        return double(x);
    else
        return double(to_float(x));
}
template <class T>
T cut(T x) {  // of a float, tensor cores take 10 bits of mantissa
    if constexpr (std::is_same<T, float>::value) {
        uint32_t u;
        memcpy(&u, &x, sizeof u);
        u &= 0xffffe000;
        memcpy(&x, &u, sizeof x);
    }
    return x;
}
template <class T, class Sum>
T result(Sum x, bool finite) {
    if constexpr (std::is_same<T, int>::value)
        return int(finite ? std::max<int64_t>(INT_MIN, std::min<int64_t>(INT_MAX, x)) : x);
    if constexpr (std::is_same<T, float>::value) {
        const float y = float(x);
        return !finite || y - y == 0 ? y : y != y ? 0 : copysignf(std::numeric_limits<float>::max(), y);
    }
    if constexpr (std::is_same<T, __half>::value) {
        const double most = 65504;
        return round_to<__half>(!finite ? x : x != x ? 0 : std::max(-most, std::min(most, x)));
    }
    if constexpr (std::is_same<T, double>::value) return x;
}

template <class D, class A, class B, class C>
struct Product {
    D* d;
    const A* a;
    const B* b;
    const C* c;
    bool finite;
};

template <class D, class A, class B, class C>
void multiply(Product<D, A, B, C>* const (&lanes)[32]) {
    using Sum = decltype(number(A().x[0]));
    constexpr int m = D::rows, n = D::columns, k = A::columns;
    Sum a[m][k], b[n][k];
    for (int l = 0; l < 32; l++) {
        for (int i = 0, e = l * A::num_elements; i < A::num_elements; i++, e++)
            a[e / k][e % k] = number(cut(lanes[l]->a->x[i]));
        for (int i = 0, e = l * B::num_elements; i < B::num_elements; i++, e++)
            b[e % n][e / n] = number(cut(lanes[l]->b->x[i]));
    }
    for (int l = 0; l < 32; l++)
        for (int i = 0, e = l * D::num_elements; i < D::num_elements; i++, e++) {
            Sum sum = number(lanes[l]->c->x[i]);
            for (int j = 0; j < k; j++) sum += a[e / n][j] * b[e % n][j];
            using T = typename D::element_type;
            lanes[l]->d->x[i] = result<T>(sum, lanes[l]->finite);
        }
}

}  // namespace cuda_on_cpu::wmma

// ---- loads, stores, products ---------------------------------------------------------------------------------------
namespace nvcuda::wmma {

template <class Use, int m, int n, int k, class T, class Layout>
void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f, const cuda_on_cpu::wmma::Storage<T>* p, unsigned ldm,
                      cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::wmma::each_element(
        "load_matrix_sync()", f, p, ldm, std::is_same<Layout, row_major>::value,
        [](auto& to, const auto& from) { to = from; }, where);
}
template <int m, int n, int k, class T>
void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned ldm, layout_t layout,
                      cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::wmma::each_element(
        "load_matrix_sync()", f, p, ldm, layout == mem_row_major, [](auto& to, const auto& from) { to = from; }, where);
}
template <int m, int n, int k, class T>
void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned ldm, layout_t layout,
                       cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::wmma::each_element(
        "store_matrix_sync()", f, p, ldm, layout == mem_row_major, [](const auto& from, auto& to) { to = from; },
        where);
}

// d = a * b + c. Sums of integers wrap around, or stop at the largest if `satf`; those of others are worked out in
// double and rounded once, where a GPU may differ in the last bits.
template <int m, int n, int k, class T, class U, class LayoutA, class LayoutB, class C, class D>
void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
              const fragment<matrix_b, m, n, k, U, LayoutB>& b, const fragment<accumulator, m, n, k, C>& c,
              bool satf = false, cuda_on_cpu::Location where = {}) {
    using namespace cuda_on_cpu::wmma;
    static_assert(std::is_same<T, U>::value, "wmma multiplies matrices of one type");
    static_assert(std::is_same<T, __half>::value
                      ? is_one_of<C, __half, float> && is_one_of<D, __half, float>
                      : std::is_same<C, D>::value && (std::is_integral<T>::value       ? is_one_of<C, int>
                                                      : std::is_same<T, double>::value ? is_one_of<C, double>
                                                                                       : is_one_of<C, float>),
                  "wmma adds no products of this type to such an accumulator");
    using P = Product<fragment<accumulator, m, n, k, D>, fragment<matrix_a, m, n, k, T, LayoutA>,
                      fragment<matrix_b, m, n, k, U, LayoutB>, fragment<accumulator, m, n, k, C>>;
    P mine{&d, &a, &b, &c, satf};
    cuda_on_cpu::all_lanes<P, multiply>("mma_sync()", mine, where);
}

}  // namespace nvcuda::wmma

#pragma GCC visibility pop
