// thrust::complex, for torch's headers: they use it wherever __CUDACC__ is defined.
#pragma once
#include <cfloat>  // as in thrust: kernels use FLT_MAX and rely on it
#include <complex>

namespace thrust {

template <class T>
struct complex : std::complex<T> {
    using std::complex<T>::complex;
    complex(const std::complex<T>& z) : std::complex<T>(z) {}
};

using std::abs, std::acos, std::acosh, std::arg, std::asin, std::asinh, std::atan, std::atanh, std::cos, std::cosh;
using std::exp, std::log, std::log10, std::norm, std::polar, std::pow, std::proj, std::sin, std::sinh, std::sqrt;
using std::tan, std::tanh;

}  // namespace thrust
