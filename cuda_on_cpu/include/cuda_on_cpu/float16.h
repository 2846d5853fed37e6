// What __half and __nv_bfloat16 have in common and no macro needs to write: see float16_types.h.
#pragma once

#include "cuda_on_cpu/small_float.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

template <class T>
struct Format;  // of __half and __nv_bfloat16: a SmallFloat, and Raw, the type for the bits

template <class T>
T round_to(double x, Rounding rounding = Rounding::nearest_even) {
    using Raw = typename Format<T>::Raw;
    return Raw{static_cast<unsigned short>(Format<T>::from_double(x, rounding))};
}
template <class T>
T of_double(double x) {  // what __double2half() and __double2bfloat16() do
    using Raw = typename Format<T>::Raw;
    return Raw{static_cast<unsigned short>(Format<T>::from_double_with_nan(x))};
}
template <class T>
float to_float(T a) {
    using Raw = typename Format<T>::Raw;
    return Format<T>::to_float(Raw(a).x);
}
template <class T>
double to_double(T a) {
    return double(to_float(a));
}

inline double between_0_and_1(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }  // NaN and -0 become 0
inline double larger(double x, double y) {                                       // of a number and NaN the number
    return y != y || x > y || (x == y && !std::signbit(x)) ? x : y;              // +0 is larger than -0
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
