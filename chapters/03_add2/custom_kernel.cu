// custom_kernel.cu: kernel, launcher and binding in one file, as in the notes' first listing. It works. But nvcc now
// reads torch's headers, twice, and does so again after every change to the kernel: `make chapter03 ARGS=--one-file`.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include <algorithm>

#include "common/cuda_check.h"
#include "common/check_input.h"
#include "common/grid.h"

__global__ void custom_kernel(float* output, const float* input, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) output[i] = 2 * input[i];
}

// Every element times 2. input: float32, any shape, contiguous.
at::Tensor custom_operation(const at::Tensor& input) {
    check_input(input, "input", at::kFloat);
    const c10::cuda::CUDAGuard guard(input.device());
    at::Tensor output = input.new_empty(input.sizes());
    const int64_t n = input.numel();
    if (n == 0) return output;  // a grid of 0 blocks is an error
    constexpr int threads = 256;
    const unsigned blocks = std::min(blocks_for(n, threads), 1u << 20);
    custom_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(output.mutable_data_ptr<float>(),
                                                                             input.const_data_ptr<float>(), n);
    CHECK_LAUNCH();
    return output;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("custom_operation", torch::wrap_pybind_function_no_gil(custom_operation), py::arg("input"));
}
