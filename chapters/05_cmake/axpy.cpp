// axpy.cpp: tensors in, tensors out. It has no Python, so that a C++ program can link it; the binding is in
// binding.cpp.
#include "axpy.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cmath>
#include <limits>

#include "common/check_tensor.h"

at::Tensor axpy(const at::Tensor& x, const at::Tensor& y, double alpha) {
    check_input(x, "x", at::kFloat);
    check_input(y, "y", at::kFloat);
    check_same(x, "x", y, "y");
    // alpha may be infinite or NaN. 1e300 is finite, but as float32 it would become infinite.
    TORCH_CHECK_VALUE(!std::isfinite(alpha) || std::abs(alpha) <= std::numeric_limits<float>::max(),
                      "alpha must fit into float32, got ", alpha);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor z = x.new_empty(x.sizes());
    launch_axpy(z.mutable_data_ptr<float>(), float(alpha), x.const_data_ptr<float>(), y.const_data_ptr<float>(),
                x.numel(), c10::cuda::getCurrentCUDAStream());
    return z;
}
