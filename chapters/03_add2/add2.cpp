// add2.cpp: tensors in, tensors out. All checks are here, all arithmetic is in add2.cu.
#include "add2.h"

#include <ATen/MemoryOverlap.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>  // brings pybind11 with torch's tensor type, at half the price of torch/extension.h

#include "common/check_tensor.h"

// a + b, as a new tensor. a, b: float32, contiguous, of one shape and device.
at::Tensor add2(const at::Tensor& a, const at::Tensor& b) {
    check_input(a, "a", at::kFloat);
    check_input(b, "b", at::kFloat);
    check_same(a, "a", b, "b");
    const c10::cuda::CUDAGuard guard(a.device());  // a tensor of the second GPU is added on the second GPU
    at::Tensor c = a.new_empty(a.sizes());
    launch_add2(c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), a.numel(),
                c10::cuda::getCurrentCUDAStream());  // torch's current stream: after the work that makes a and b
    return c;
}

// The blog notes' operator (chapters/NOTES.md): the caller passes the output and the number of elements to add. The
// rest of c stays as it is.
void torch_launch_add2(const at::Tensor& c, const at::Tensor& a, const at::Tensor& b, int64_t n) {
    check_input(c, "c", at::kFloat);
    check_input(a, "a", at::kFloat);
    check_input(b, "b", at::kFloat);
    check_same(c, "c", a, "a");
    check_same(a, "a", b, "b");
    TORCH_CHECK_VALUE(0 <= n && n <= c.numel(), "n must be between 0 and ", c.numel(), ", the tensors' size, got ", n);
    // c may be a or b. If it were one of them shifted by an element, threads would read each other's results.
    for (const at::Tensor& input : {a, b})
        TORCH_CHECK_VALUE(at::get_overlap_status(c, input) != at::MemOverlapStatus::Partial,
                          "c must not share a part of its memory with a or b; it may be a, b, or a tensor of its own");
    c.unsafeGetTensorImpl()->bump_version();  // autograd, if it has saved c's old values, now refuses to use them
    const c10::cuda::CUDAGuard guard(c.device());
    launch_add2(c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), n,
                c10::cuda::getCurrentCUDAStream());
}

// wrap_pybind_function turns torch's C++ exceptions and warnings into Python's. With _no_gil, other Python threads run
// until the call returns: REFERENCE.md says why that matters.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add2", torch::wrap_pybind_function_no_gil(add2), py::arg("a"), py::arg("b"));
    // noconvert(): otherwise pybind11 would turn n = torch.tensor(2.7) into 2.
    m.def("torch_launch_add2", torch::wrap_pybind_function_no_gil(torch_launch_add2), py::arg("c"), py::arg("a"),
          py::arg("b"), py::arg("n").noconvert());
}
