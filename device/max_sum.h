// max_sum.h: the maximum and the sum of exp() of some elements, from which softmax is made. Copy this file, number.h
// and over_row.h into a project of your own.
//
//   MaxSum<float> mine = {x, 1};                     // of one element: exp(x - x) is 1
//   mine = mine + MaxSum<float>{y, 1};               // of two
//   const MaxSum<float> all = over_row(mine);        // of those of all threads of the row
#pragma once
#include <limits>

#include "device/number.h"
#include "device/over_row.h"

// The largest of some elements, and the sum of exp(element - largest). Of no element, the largest is the lowest number,
// not -infinity: -infinity - -infinity is NaN.
template <class N>
struct MaxSum {
    N max = -std::numeric_limits<N>::max(), sum = 0;
};

// Two parts of a row together: the sum whose maximum is smaller shrinks.
template <class N>
__device__ MaxSum<N> operator+(MaxSum<N> a, MaxSum<N> b) {
    const N shrink = fast_exp(-fabs(a.max - b.max));
    if (a.max > b.max) return {a.max, a.sum + b.sum * shrink};
    return {b.max, b.sum + a.sum * shrink};
}

template <class N>
__device__ MaxSum<N> from_lane(MaxSum<N> part, int apart) {
    return {from_lane(part.max, apart), from_lane(part.sum, apart)};
}
