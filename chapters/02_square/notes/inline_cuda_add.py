"""The listing of blog note 004 on load_inline(): kernel and function in one string, their declaration in another."""

import sys
from pathlib import Path

root = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import check, device
from common.cpp_extension import load_inline

import torch  # after `common`, which says what to do where torch is missing

CPP = """
#include <torch/csrc/Exceptions.h>

at::Tensor add_cuda(const at::Tensor& a, const at::Tensor& b);

// By hand, because functions=["add_cuda"] would leave the arguments without names.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add_cuda", torch::wrap_pybind_function_no_gil(add_cuda), py::arg("a"), py::arg("b"));
}
"""
CUDA = """
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "common/check_tensor.h"
#include "common/cuda_check.h"
#include "common/grid.h"

__global__ void add_kernel(float* c, const float* a, const float* b, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) c[i] = a[i] + b[i];
}

// The sum. a, b: float32, any shape (the same), contiguous.
at::Tensor add_cuda(const at::Tensor& a, const at::Tensor& b) {
    check_input(a, "a", at::kFloat);
    check_input(b, "b", at::kFloat);
    check_same(a, "a", b, "b");
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor c = a.new_empty(a.sizes());
    const int64_t n = a.numel();
    if (n == 0) return c;  // CUDA refuses a grid of 0 blocks
    add_kernel<<<std::min(blocks_for(n, 256), 1u << 20), 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), n);
    CHECK_LAUNCH();
    return c;
}
"""


def build():
    return load_inline(
        name="inline_cuda_add",
        cpp_sources=[CPP],
        cuda_sources=[CUDA],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
        no_implicit_headers=True,
    )


def main():
    def inputs(n):
        return torch.rand(n, device=device), torch.rand(n, device=device)

    check(build().add_cuda, torch.add, inputs, rtol=0, atol=0)


if __name__ == "__main__":
    main()
