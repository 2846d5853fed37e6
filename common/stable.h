// stable.h: what the bindings by torch's stable ABI share: checks, the stream, and the dtypes float32,
// float16 and bfloat16 as CUDA's types.
//
//   check_input(x, "x", FLOATS);
//   const DeviceGuard guard(x.get_device_index());
//   const Tensor out = torch::stable::empty_like(x);
//   with_type(x.scalar_type(), [&](auto of) {
//       using T = decltype(of);
//       launch_scale(data<T>(out), data<const T>(x), x.numel(), current_stream(x));
//   });
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>

#include "common/check_tensor_stable.h"

using torch::stable::accelerator::DeviceGuard;

constexpr std::initializer_list<ScalarType> FLOATS = {ScalarType::Float, ScalarType::Half, ScalarType::BFloat16};
constexpr std::initializer_list<ScalarType> FLOATS_AND_DOUBLE = {ScalarType::Float, ScalarType::Double,
                                                                 ScalarType::Half, ScalarType::BFloat16};

// torch's current stream of x's device. From torch 2.13 on: getCurrentStream(index).nativeHandle()
inline cudaStream_t current_stream(const Tensor& x) {
    void* stream = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
    return static_cast<cudaStream_t>(stream);
}

// Calls f with a value of CUDA's type for that dtype, one of FLOATS: float, __half or __nv_bfloat16.
template <class F>
void with_type(ScalarType dtype, F f) {
    if (dtype == ScalarType::Float) return f(float());
    if (dtype == ScalarType::Half) return f(__half());
    if (dtype == ScalarType::BFloat16) return f(__nv_bfloat16());
    STD_TORCH_CHECK(false, "no kernel for dtype ", dtype);
}

// The same for one of FLOATS_AND_DOUBLE.
template <class F>
void with_type_or_double(ScalarType dtype, F f) {
    if (dtype == ScalarType::Double) return f(double());
    with_type(dtype, f);
}

// x's memory. T: const for a tensor that the kernel only reads.
template <class T>
T* data(const Tensor& x) {
    if constexpr (std::is_const_v<T>)
        return static_cast<T*>(x.const_data_ptr());
    else
        return static_cast<T*>(x.mutable_data_ptr());
}
