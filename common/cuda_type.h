// cuda_type.h: a tensor's memory, in CUDA's types. In half precision torch has types of its own: at::Half has the same
// bits as __half, and at::BFloat16 the same as __nv_bfloat16. Copy this file into a project of your own: it needs only
// torch and CUDA's headers. The example also needs ATen/Dispatch.h and c10/cuda/CUDAStream.h.
//
//   AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "scale", [&] {
//       using T = cuda_type<scalar_t>;
//       launch_scale(data<T>(out), data<const T>(x), x.numel(), c10::cuda::getCurrentCUDAStream());
//   });
#pragma once
#include <ATen/core/Tensor.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

template <class T>
using cuda_type = std::conditional_t<std::is_same_v<T, at::Half>, __half,
                                     std::conditional_t<std::is_same_v<T, at::BFloat16>, __nv_bfloat16, T>>;

// x's memory. Make T const if the kernel only reads x. Nothing here checks x's dtype.
template <class T>
T* data(const at::Tensor& x) {
    if constexpr (std::is_const_v<T>)
        return static_cast<T*>(x.const_data_ptr());
    else
        return static_cast<T*>(x.mutable_data_ptr());
}
