// registration.cpp: the operator under a name, chapter05::axpy, in torch's table of operators, the dispatcher. Whoever
// has only the name finds it there: torch.ops.chapter05.axpy in Python, and an exported model. Each of the two macros
// makes a global object; its constructor fills the table when the library is loaded.
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include "axpy.h"

TORCH_LIBRARY(chapter05, m) {
    m.def("axpy(Tensor x, Tensor y, float alpha=1.0) -> Tensor");
    // One function for every device, as axpy() itself says which one it wants. "Explicit": torch must not look inside
    // for a backward. There is none, so axpy() gets to see that an input requires grad, and refuses it.
    m.impl("axpy", c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(axpy));
}

// Transforms such as torch.func.grad hide from axpy() that there is something to differentiate, and torch would go on
// with a gradient of 0. This raises "derivative for chapter05::axpy is not implemented".
TORCH_LIBRARY_IMPL(chapter05, Autograd, m) { m.impl("axpy", torch::autograd::autogradNotImplementedFallback()); }

// For tensors with a shape and no memory, with which torch.export and torch.compile try a model out. The model would fail
// when it runs if this function took what axpy() refuses. Only requires_grad may pass: whether autograd records is known
// when the model runs. Torch calls this function if one of the two has no memory: were the other on the CPU,
// empty_like(x) would be memory that no kernel writes.
TORCH_LIBRARY_IMPL(chapter05, Meta, m) {
    m.impl("axpy", [](const at::Tensor& x, const at::Tensor& y, double alpha) {
        check_axpy(x, y, alpha);
        return at::empty_like(x);
    });
}
