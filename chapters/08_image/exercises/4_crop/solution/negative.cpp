// negative.cpp: negative(img) gives 255 - img, and takes a crop as it is.
#include "negative.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include "common/check_tensor.h"

// img: uint8, H x W x 3. Rows may lie apart, pixels and their bytes may not. Returns a new image without gaps.
at::Tensor negative(const at::Tensor& img) {
    // your code
    check_tensor(img, "img", at::kByte);
    TORCH_CHECK_VALUE(img.dim() == 3 && img.size(2) == 3, "img must have the shape H x W x 3, got ", img.sizes());
    TORCH_CHECK_VALUE(img.numel() == 0 || (img.stride(2) == 1 && (img.size(1) == 1 || img.stride(1) == 3)),
                      "img must be contiguous within each row, got strides ", img.strides(), "; pass img.contiguous()");
    const uint8_t* from = img.const_data_ptr<uint8_t>();
    const int64_t row_stride = img.stride(0);
    // end of your code
    const c10::cuda::CUDAGuard guard(img.device());
    at::Tensor out = img.new_empty(img.sizes());
    launch_negative(out.mutable_data_ptr<uint8_t>(), from, img.size(0), 3 * img.size(1), row_stride,
                    c10::cuda::getCurrentCUDAStream());
    return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("negative", torch::wrap_pybind_function_no_gil(negative), py::arg("img"));
}
