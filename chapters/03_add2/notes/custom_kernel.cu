// custom_kernel.cu: two listings of the blog notes, each with kernel, checks and binding in one file. They work, but
// nvcc reads torch's headers, twice, and again after every change to a kernel. `make chapter03 ARGS=--notes` builds
// them.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include <algorithm>

#include "common/cuda_check.h"
#include "common/check_tensor.h"
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
    if (n == 0) return output;  // CUDA refuses a grid of 0 blocks
    constexpr int threads = 256;
    const unsigned blocks = std::min(blocks_for(n, threads), 1u << 20);
    custom_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(output.mutable_data_ptr<float>(),
                                                                             input.const_data_ptr<float>(), n);
    CHECK_LAUNCH();
    return output;
}

// The macro that many listings use and forget to define. #x is the text of its argument, which saves writing the name
// twice.
#define CHECK_INPUT(x) check_input(x, #x, at::kFloat)

// The simplest kernel: a thread for each element. Its grid must cover the array; that of add2.cu may have any size.
__global__ void vector_add_kernel(float* c, const float* a, const float* b, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

at::Tensor vector_add(const at::Tensor& a, const at::Tensor& b) {
    CHECK_INPUT(a);
    CHECK_INPUT(b);
    check_same(a, "a", b, "b");
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor c = a.new_empty(a.sizes());
    const int64_t n = a.numel();
    if (n == 0) return c;  // CUDA refuses a grid of 0 blocks
    constexpr int threads = 256;
    vector_add_kernel<<<blocks_for(n, threads), threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), n);
    CHECK_LAUNCH();
    return c;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("custom_operation", torch::wrap_pybind_function_no_gil(custom_operation), py::arg("input"));
    m.def("vector_add", torch::wrap_pybind_function_no_gil(vector_add), py::arg("a"), py::arg("b"));
}
