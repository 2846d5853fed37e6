// add2.cpp: tensors in, tensors out. All checks are here, all arithmetic is in add2.cu.
#include "add2.h"

#include <ATen/MemoryOverlap.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>  // brings pybind11 with torch's tensor type, at half the price of torch/extension.h

#include "common/check_input.h"

// The sum as one would write it today: it makes its own output. a, b: float32, contiguous, of one shape and device.
at::Tensor add2(const at::Tensor& a, const at::Tensor& b) {
    check_input(a, "a", at::kFloat);
    check_input(b, "b", at::kFloat);
    check_same(a, "a", b, "b");
    const c10::cuda::CUDAGuard guard(a.device());  // a tensor of the second GPU is added on the second GPU
    at::Tensor c = a.new_empty(a.sizes());
    launch_add2(c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), a.numel(),
                c10::cuda::getCurrentCUDAStream());  // torch's current stream: behind the work that makes a and b
    return c;
}

// As in the notes: the caller passes the output and the number of elements to add. The rest of c stays as it is.
void torch_launch_add2(const at::Tensor& c, const at::Tensor& a, const at::Tensor& b, int64_t n) {
    check_input(c, "c", at::kFloat);
    check_input(a, "a", at::kFloat);
    check_input(b, "b", at::kFloat);
    check_same(c, "c", a, "a");
    check_same(a, "a", b, "b");
    TORCH_CHECK_VALUE(0 <= n && n <= c.numel(), "n must be between 0 and ", c.numel(), ", the tensors' size, got ", n);
    // c may be a or b. Shifted by an element, threads would read each other's results.
    for (const at::Tensor& input : {a, b})
        TORCH_CHECK_VALUE(at::get_overlap_status(c, input) != at::MemOverlapStatus::Partial,
                          "c must not share a part of its memory with a or b; let it be all of one of them, or none");
    c.unsafeGetTensorImpl()->bump_version();  // if autograd has kept c's old values, it will refuse to use them
    const c10::cuda::CUDAGuard guard(c.device());
    launch_add2(c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), n,
                c10::cuda::getCurrentCUDAStream());
}

// The macro that many listings use and forget to define. #x is the argument's name as text: its only advantage.
#define CHECK_INPUT(x) check_input(x, #x, at::kFloat)

at::Tensor vector_add(const at::Tensor& a, const at::Tensor& b) {
    CHECK_INPUT(a);
    CHECK_INPUT(b);
    return add2(a, b);
}

// wrap_pybind_function, which load_inline writes for functions=[...], hands torch's errors and warnings to Python as
// those of its own operators. With _no_gil, other Python threads run until the call returns: see REFERENCE.md.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add2", torch::wrap_pybind_function_no_gil(add2), py::arg("a"), py::arg("b"));
    // noconvert(): otherwise n = torch.tensor(2.7) is 2.
    m.def("torch_launch_add2", torch::wrap_pybind_function_no_gil(torch_launch_add2), py::arg("c"), py::arg("a"),
          py::arg("b"), py::arg("n").noconvert());
    m.def("vector_add", torch::wrap_pybind_function_no_gil(vector_add), py::arg("a"), py::arg("b"));
}
