"""The second listing of blog note 000: load_inline() with a kernel and its function in one string.

The note calls it NVRTC, but nvcc compiles it. The note's cpp_sources is empty, and so the listing does not build: the
binding that functions= adds there uses a function that nothing has declared. build() declares it; as_in_the_note() fails.
"""

import sys
from pathlib import Path

root = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import check, device
from common.cpp_extension import load_inline
from common.progress import BuildError

import torch  # after `common`, which says what to do where torch is missing

CPP = """
#include <torch/csrc/Exceptions.h>

at::Tensor custom_operation(const at::Tensor& input);

// By hand, because functions=["custom_operation"] would leave the argument without a name.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("custom_operation", torch::wrap_pybind_function_no_gil(custom_operation), py::arg("input"));
}
"""
CUDA = """
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "common/check_tensor.h"
#include "common/cuda_check.h"
#include "common/grid.h"

__global__ void custom_operation_kernel(float* output, const float* input, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) output[i] = 2 * input[i];
}

// Every element times 2. input: float32, any shape, contiguous.
at::Tensor custom_operation(const at::Tensor& input) {
    check_input(input, "input", at::kFloat);
    const c10::cuda::CUDAGuard guard(input.device());
    at::Tensor output = input.new_empty(input.sizes());
    const int64_t n = input.numel();
    if (n == 0) return output;  // CUDA refuses a grid of 0 blocks
    custom_operation_kernel<<<std::min(blocks_for(n, 256), 1u << 20), 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        output.mutable_data_ptr<float>(), input.const_data_ptr<float>(), n);
    CHECK_LAUNCH();
    return output;
}
"""


def build():
    return load_inline(
        name="inline_kernel",
        cpp_sources=[CPP],
        cuda_sources=[CUDA],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
        no_implicit_headers=True,
    )


def as_in_the_note():
    return load_inline(
        name="inline_kernel_undeclared",
        cpp_sources=["#include <torch/csrc/Exceptions.h>"],
        cuda_sources=[CUDA],
        functions=["custom_operation"],
        extra_include_paths=[str(root)],
        no_implicit_headers=True,
    )


def main():
    module = build()
    check(module.custom_operation, lambda x: 2 * x, lambda n: (torch.rand(n, device=device),), rtol=0, atol=0)
    try:
        as_in_the_note()
    except BuildError as error:
        print(error)


if __name__ == "__main__":
    main()
