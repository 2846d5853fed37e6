"""An operator as people publish them runs unchanged on the CPU: what it calls CUDA is the CPU. 50 s for the compiler"""

import pytest
import torch

from common import device
from common.cpp_extension import load
from tests.support import kept_folder, write

HEADER = """
#pragma once
#include <ATen/core/Tensor.h>
#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")

at::Tensor histogram_cuda(const at::Tensor& index, const at::Tensor& weight, int64_t bins);
"""

OPERATOR = """
#include "histogram.h"

#include <ATen/Dispatch.h>
#include <ATen/TensorUtils.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAApplyUtils.cuh>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/Exceptions.h>
#include <ATen/ops/zeros.h>
#include <THC/THCAtomics.cuh>
#include <THC/THCDeviceUtils.cuh>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

template <typename T>
using Vector = at::PackedTensorAccessor32<T, 1, at::RestrictPtrTraits>;

template <typename T>
__global__ void histogram_kernel(Vector<T> out, const Vector<int64_t> index, const Vector<T> weight) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < index.size(0)) gpuAtomicAdd(&out[index[i]], T(weight[i]));
}

at::Tensor histogram_cuda(const at::Tensor& index, const at::Tensor& weight, int64_t bins) {
    CHECK_CUDA(index);
    TORCH_CHECK(weight.device().type() == at::DeviceType::CUDA && c10::cuda::device_count() == 1);
    const at::cuda::OptionalCUDAGuard guard(at::device_of(index));
    at::checkAllSameGPU("histogram", {at::TensorArg(index, "index", 1), at::TensorArg(weight, "weight", 2)});
    C10_CUDA_CHECK(cudaSetDevice(index.get_device()));
    at::Tensor out = at::zeros({bins}, weight.options().device(at::kCUDA));
    const int n = index.numel();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, weight.scalar_type(), "histogram", [&] {
        histogram_kernel<scalar_t><<<(n + 63) / 64, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
            out.packed_accessor32<scalar_t, 1, at::RestrictPtrTraits>(),
            index.packed_accessor32<int64_t, 1, at::RestrictPtrTraits>(),
            weight.packed_accessor32<scalar_t, 1, at::RestrictPtrTraits>());
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    AT_CUDA_CHECK(cudaGetLastError());
    return out;
}
"""

BINDING = """
#include "histogram.h"

#include <torch/library.h>

at::Tensor histogram(const at::Tensor& index, const at::Tensor& weight, int64_t bins) {
    if (index.is_cuda()) return histogram_cuda(index, weight, bins);
    TORCH_CHECK(false, "not implemented on the CPU");
}

TORCH_LIBRARY(published, m) { m.def("histogram(Tensor index, Tensor weight, int bins) -> Tensor"); }
TORCH_LIBRARY_IMPL(published, CUDA, m) { m.impl("histogram", &histogram); }
"""


@pytest.mark.thorough
@pytest.mark.skipif(device.type == "cuda", reason="about CUDA on CPU; CHAPTERS_DEVICE=cpu runs it")
def test_an_operator_as_people_publish_them():
    folder = kept_folder("published")
    write(folder / "histogram.h", HEADER)
    sources = [write(folder / "binding.cpp", BINDING), write(folder / "histogram.cu", OPERATOR)]
    flags = {"extra_cflags": ["-O0"], "extra_include_paths": [str(folder)]}
    load("published", sources, build_directory=str(folder / "build"), is_python_module=False, **flags)
    index = torch.randint(0, 5, (300,))
    for dtype in torch.float32, torch.float64, torch.float16, torch.bfloat16:
        weight = torch.randint(0, 3, (300,)).to(dtype)  # whole numbers: sums without rounding
        expected = torch.zeros(5, dtype=dtype).index_add_(0, index, weight)
        assert torch.ops.published.histogram(index, weight, 5).equal(expected)
