// formulas.h: what the kernels of rms_norm.cu compute. They take any of these operators as Op: part() is what one
// element adds to the row's sums, factors() turns the sums into what all results of the row need, and result() is the
// element that is written. It may add to the thread's sum for the gradient of weight. No torch.
#pragma once
#include <cstdint>

#include "device/number.h"
#include "device/over_row.h"

template <class Type, bool add>
struct Forward {
    using T = Type;
    using N = Number<T>;
    using Part = N;
    using Factors = N;
    static constexpr int INPUTS = add ? 2 : 1;
    static constexpr bool ADDS = add, OF_WEIGHT = false;
    const T* in[INPUTS];  // x, and residual: where kernels load both, x becomes their sum
    const T* weight;
    T *out, *sum;
    int64_t rows, n;
    N eps;

    static __device__ Part part(const N (&v)[INPUTS], N) { return v[0] * v[0]; }
    __device__ Factors factors(Part squares) const { return rsqrt(squares / N(n) + eps); }
    static __device__ N result(const N (&v)[INPUTS], N w, Factors scale, N&) { return v[0] * scale * w; }
};

// The sums over a row of x * x and of grad * weight * x.
template <class N>
struct Sums {
    N squares = 0, products = 0;
};
template <class N>
__device__ Sums<N> operator+(Sums<N> a, Sums<N> b) {
    return {a.squares + b.squares, a.products + b.products};
}
template <class N>
__device__ Sums<N> from_lane(Sums<N> sums, int apart) {
    return {from_lane(sums.squares, apart), from_lane(sums.products, apart)};
}

template <class Type, bool add>
struct Backward {
    using T = Type;
    using N = Number<T>;
    using Part = Sums<N>;
    struct Factors {
        N scale, times_x;
    };
    static constexpr int INPUTS = add ? 3 : 2;
    static constexpr bool ADDS = false, OF_WEIGHT = true;
    const T* in[INPUTS];  // grad, x, and the gradient of sum
    const T* weight;
    T *out, *of_weight;
    int64_t rows, n;
    N eps;

    static __device__ Part part(const N (&v)[INPUTS], N w) {
        const N grad = v[0], x = v[1];
        return {x * x, grad * w * x};
    }
    __device__ Factors factors(Part sums) const {
        const N scale = rsqrt(sums.squares / N(n) + eps);
        return {scale, scale * scale * scale * (sums.products / N(n))};
    }
    static __device__ N result(const N (&v)[INPUTS], N w, Factors f, N& of_weight) {
        const N grad = v[0], x = v[1], of_sum = add ? v[INPUTS - 1] : N(0);
        of_weight += grad * f.scale * x;
        return grad * f.scale * w - f.times_x * x + of_sum;
    }
};
