// image.cpp: tensors in, tensors out. All checks are here, all arithmetic is in image.cu.
#include "image.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include <cmath>

#include "common/check_tensor.h"

// What a kernel must know of a tensor of images. Rows and images may lie apart, as in a crop, but not pixels.
static Images images_of(const at::Tensor& img) {
    check_tensor(img, "img", at::kByte);
    const int64_t d = img.dim();
    TORCH_CHECK_VALUE((d == 3 || d == 4) && img.size(-1) == 3,
                      "img must have the shape H x W x 3 or N x H x W x 3, got ", img.sizes());
    const auto apart = [&](int64_t dim, int64_t stride) { return img.size(dim) > 1 && img.stride(dim) != stride; };
    TORCH_CHECK_VALUE(img.numel() == 0 || !(apart(-1, 1) || apart(-2, 3)),
                      "img must be contiguous within each row, got strides ", img.strides(), " for shape ", img.sizes(),
                      "; pass img.contiguous()");
    const bool many = d == 4;
    return {img.const_data_ptr<uint8_t>(), many ? img.size(0) : 1, img.size(-3), img.size(-2),
            many ? img.stride(0) : 0,      img.stride(-3)};
}

// uint8, H x W x 3 or N x H x W x 3, red first (bgr: blue first) -> uint8, H x W or N x H x W.
at::Tensor rgb_to_gray(const at::Tensor& img, bool bgr) {
    const Images images = images_of(img);
    const c10::cuda::CUDAGuard guard(img.device());
    at::Tensor gray = img.new_empty(img.sizes().slice(0, img.dim() - 1));
    launch_rgb_to_gray(gray.mutable_data_ptr<uint8_t>(), images, bgr, c10::cuda::getCurrentCUDAStream());
    return gray;
}

// The naive kernel: the same shapes, red first, and the fraction is cut off.
at::Tensor rgb_to_gray_naive(const at::Tensor& img) {
    const Images images = images_of(img);
    const c10::cuda::CUDAGuard guard(img.device());
    at::Tensor gray = img.new_empty(img.sizes().slice(0, img.dim() - 1));
    launch_rgb_to_gray_naive(gray.mutable_data_ptr<uint8_t>(), images, c10::cuda::getCurrentCUDAStream());
    return gray;
}

// The divisor as the kernels take it. `rounded > 0` is false for NaN, and for a number that is 0 in float32 because it
// is too small. A number that is too large for float32 is infinite there.
static float divisor(double maxVal) {
    const float rounded = float(maxVal);
    TORCH_CHECK_VALUE(rounded > 0 && std::isfinite(rounded),
                      "maxVal must be a positive, finite number within float32, got ", maxVal);
    return rounded;
}

template <class Launch>
static at::Tensor normalize(const at::Tensor& volume, double maxVal, Launch launch) {
    check_input(volume, "volume", at::kUInt16);
    TORCH_CHECK_VALUE(volume.dim() == 3, "volume must have the shape Z x Y x X, got ", volume.sizes());
    const float by = divisor(maxVal);
    const c10::cuda::CUDAGuard guard(volume.device());
    at::Tensor out = volume.new_empty(volume.sizes(), at::kFloat);
    launch(out.mutable_data_ptr<float>(), volume.const_data_ptr<uint16_t>(), volume.numel(), by,
           c10::cuda::getCurrentCUDAStream());
    return out;
}

// uint16, Z x Y x X, contiguous -> float32 of the same shape: volume / float32(maxVal), correctly rounded.
at::Tensor normalize_volume(const at::Tensor& volume, double maxVal) {
    return normalize(volume, maxVal, launch_normalize_volume);
}

// The naive kernel, with the same result.
at::Tensor normalize_volume_naive(const at::Tensor& volume, double maxVal) {
    return normalize(volume, maxVal, launch_normalize_volume_naive);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("rgb_to_gray", torch::wrap_pybind_function_no_gil(rgb_to_gray), py::arg("img"),
          py::arg("bgr").noconvert() = false);  // or None and 0.0 would count as False
    m.def("rgb_to_gray_naive", torch::wrap_pybind_function_no_gil(rgb_to_gray_naive), py::arg("img"));
    m.def("normalize_volume", torch::wrap_pybind_function_no_gil(normalize_volume), py::arg("volume"),
          py::arg("maxVal"));
    m.def("normalize_volume_naive", torch::wrap_pybind_function_no_gil(normalize_volume_naive), py::arg("volume"),
          py::arg("maxVal"));
}
