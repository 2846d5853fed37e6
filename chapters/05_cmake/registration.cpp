// registration.cpp: enters the operator as chapter05::axpy in torch's table of operators, the dispatcher. By that name
// Python finds it (torch.ops.chapter05.axpy), and so does an exported model. Each of the macros makes a global object;
// its constructor fills the table when the library is loaded.
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include "axpy.h"

TORCH_LIBRARY(chapter05, m) {
    m.def("axpy(Tensor x, Tensor y, float alpha=1.0) -> Tensor");
    // One function for all devices: axpy() itself refuses the wrong ones. "Explicit": autograd does not look into
    // axpy() for operations with a backward. So axpy() is called with an input that requires grad, and refuses it.
    m.impl("axpy", c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(axpy));
}

// Under transforms such as torch.func.grad no input of axpy() requires grad, and without this line the gradient would
// be 0. This line raises "derivative for chapter05::axpy is not implemented".
TORCH_LIBRARY_IMPL(chapter05, Autograd, m) { m.impl("axpy", torch::autograd::autogradNotImplementedFallback()); }

// For tensors with a shape and no memory, with which torch.export and torch.compile try a model out. The model would
// fail when it runs if this function took what axpy() refuses. Only requires_grad may pass: whether autograd records is
// known when the model runs. Torch calls this function if one of the two has no memory: were the other on the CPU,
// empty_like(x) would be memory that no kernel writes.
TORCH_LIBRARY_IMPL(chapter05, Meta, m) {
    m.impl("axpy", [](const at::Tensor& x, const at::Tensor& y, double alpha) {
        check_axpy(x, y, alpha);
        return at::empty_like(x);
    });
}
