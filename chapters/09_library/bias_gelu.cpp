// bias_gelu.cpp: the operators, and their entries in torch's dispatcher. No Python in here: a C++ program can load it.
#include "bias_gelu.h"

#include <ATen/Dispatch.h>
#include <ATen/MemoryOverlap.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <string_view>
#include <tuple>

#include "common/check_input.h"

// ---- for tensors that have a shape and no memory (Meta) ----

// What no kernel can use. A size may be a symbol, while torch.export tries a model out: sym_size() takes either.
static void check_one(const at::Tensor& x, const char* name, at::ScalarType dtype) {
    TORCH_CHECK_TYPE(x.defined(), name, " must be a tensor, got an undefined one");  // None
    TORCH_CHECK_TYPE(x.scalar_type() == dtype, name, " must have dtype ", dtype, ", got ", x.scalar_type());
    TORCH_CHECK_VALUE(x.is_contiguous(), name, " must be contiguous, got strides ", x.sym_strides(), " for shape ",
                      x.sym_sizes(), "; pass ", name, ".contiguous()");
}

static void check(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    const at::ScalarType dtype = x.scalar_type();
    check_one(x, "x", dtype);
    TORCH_CHECK_TYPE(dtype == at::kFloat || dtype == at::kDouble, "x must have dtype Float or Double, got ", dtype);
    check_one(bias, "bias", dtype);
    TORCH_CHECK_VALUE(x.dim() >= 1, "x must have 1 dimension or more, got 0");
    TORCH_CHECK_VALUE(bias.dim() == 1 && bias.sym_size(0) == x.sym_size(-1), "bias must have the shape [",
                      x.sym_size(-1), "], as x has the shape ", x.sym_sizes(), ", got ", bias.sym_sizes());
    TORCH_CHECK_VALUE(x.device() == bias.device(), "x and bias must be on the same device, got ", x.device(), " and ",
                      bias.device());
    TORCH_CHECK_VALUE(approximate == "none" || approximate == "tanh", "approximate must be none or tanh, got ",
                      approximate);
}

static at::Tensor bias_gelu_meta(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    check(x, bias, approximate);
    return x.new_empty_symint(x.sym_sizes());
}

static void bias_gelu_meta_(at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    check(x, bias, approximate);
}

static std::tuple<at::Tensor, at::Tensor> bias_gelu_backward_meta(const at::Tensor& grad, const at::Tensor& x,
                                                                  const at::Tensor& bias,
                                                                  std::string_view approximate) {
    check(x, bias, approximate);
    check_one(grad, "grad", x.scalar_type());
    TORCH_CHECK_VALUE(grad.sym_sizes() == x.sym_sizes(), "grad and x must have the same shape, got ", grad.sym_sizes(),
                      " and ", x.sym_sizes());
    TORCH_CHECK_VALUE(grad.device() == x.device(), "grad and x must be on the same device, got ", grad.device(),
                      " and ", x.device());
    return {x.new_empty_symint(x.sym_sizes()), bias.new_empty_symint(bias.sym_sizes())};
}

// ---- for tensors with memory ----
// Each operator begins with its Meta function: so both refuse the same, and give results of the same shape.

// What only a tensor with memory can have wrong. While autograd records, library.py's gradient comes first, and no
// tensor here requires grad; but the library may be loaded without it.
static void check_memory_of(const at::Tensor& x, const char* name) {
    check_memory(x, name);
    check_no_grad(x, name);
}

static int64_t rows_of(const at::Tensor& x) { return x.numel() == 0 ? 0 : x.numel() / x.size(-1); }

static void run(at::Tensor& out, const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    check_memory_of(x, "x");
    check_memory_of(bias, "bias");
    const c10::cuda::CUDAGuard guard(x.device());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bias_gelu", [&] {
        scalar_t* const result = out.mutable_data_ptr<scalar_t>();  // first: if out is x, this may move x (lazy copies)
        launch_bias_gelu(result, x.const_data_ptr<scalar_t>(), bias.const_data_ptr<scalar_t>(), rows_of(x), x.size(-1),
                         approximate == "tanh", c10::cuda::getCurrentCUDAStream());
    });
}

// gelu(x + bias): a new tensor.
static at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    at::Tensor out = bias_gelu_meta(x, bias, approximate);
    run(out, x, bias, approximate);
    return out;
}

// The gradients for x and bias, given the result's.
static std::tuple<at::Tensor, at::Tensor> bias_gelu_backward(const at::Tensor& grad, const at::Tensor& x,
                                                             const at::Tensor& bias, std::string_view approximate) {
    at::Tensor grad_x, grad_bias;  // no structured binding: before clang 16 a lambda cannot capture one
    std::tie(grad_x, grad_bias) = bias_gelu_backward_meta(grad, x, bias, approximate);
    check_memory_of(grad, "grad");
    check_memory_of(x, "x");
    check_memory_of(bias, "bias");
    const c10::cuda::CUDAGuard guard(x.device());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bias_gelu_backward", [&] {
        const int64_t rows = rows_of(x), columns = x.size(-1);
        const at::Tensor partial = x.new_empty({partial_rows<scalar_t>(rows, columns), columns});
        launch_bias_gelu_backward(grad_x.mutable_data_ptr<scalar_t>(), grad_bias.mutable_data_ptr<scalar_t>(),
                                  partial.mutable_data_ptr<scalar_t>(), grad.const_data_ptr<scalar_t>(),
                                  x.const_data_ptr<scalar_t>(), bias.const_data_ptr<scalar_t>(), rows, columns,
                                  approximate == "tanh", c10::cuda::getCurrentCUDAStream());
    });
    return {grad_x, grad_bias};
}

// The same into x. It returns nothing: an operator may not return its argument, or a view of it.
static void bias_gelu_(at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    bias_gelu_meta_(x, bias, approximate);
    const auto overlap = at::get_overlap_status(x, bias);  // other threads would read what one has written
    TORCH_CHECK_VALUE(overlap != at::MemOverlapStatus::Partial, "x must not share a part of its memory with bias");
    run(x, x, bias, approximate);
}

// ---- between autograd and the kernels ----
// Boxed functions: they take the arguments of any operator, which lie on a stack.

using Boxed = torch::CppFunction;

template <class Check>
static void for_each_tensor(const c10::OperatorHandle& op, const torch::jit::Stack& stack, const Check& check) {
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); i++) {
        const c10::IValue& value = stack[stack.size() - arguments.size() + i];
        if (value.isTensor()) check(value.toTensor(), arguments[i]);
    }
}

// Autograd of bias_gelu_: it has no gradient, as backward would need the x that is gone. Here, not in the kernel: under
// torch.func only the tensors that come here require grad.
static void refuse_gradients(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    for_each_tensor(op, *stack, [](const at::Tensor& x, const c10::Argument& argument) {
        check_no_grad(x, argument.name().c_str());
    });
    op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
}

// ADInplaceOrView of all: no operator has a forward-mode gradient, and torch would go on without. An argument that is
// written, Tensor(a!), gets a new version: so autograd learns that it has changed.
static void refuse_tangents(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    for_each_tensor(op, *stack, [](const at::Tensor& x, const c10::Argument& argument) {
        check_no_tangent(x, argument.name().c_str());
        if (argument.alias_info() && argument.alias_info()->isWrite()) x.unsafeGetTensorImpl()->bump_version();
    });
    op.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
}

// ---- the entries in the dispatcher ----

// The macro makes a global object. Its constructor runs this block when the library is loaded. kernel_dispatch_key:
// CUDA; in CUDA on CPU, CPU. Meta: for meta tensors, and for the fake tensors of torch.compile and torch.export.
TORCH_LIBRARY(chapter09, m) {
    m.def("bias_gelu(Tensor x, Tensor bias, *, str approximate='none') -> Tensor");
    m.impl("bias_gelu", kernel_dispatch_key, TORCH_FN(bias_gelu));
    m.impl("bias_gelu", c10::DispatchKey::Meta, TORCH_FN(bias_gelu_meta));

    m.def("bias_gelu_backward(Tensor grad, Tensor x, Tensor bias, *, str approximate='none') -> (Tensor, Tensor)");
    m.impl("bias_gelu_backward", kernel_dispatch_key, TORCH_FN(bias_gelu_backward));
    m.impl("bias_gelu_backward", c10::DispatchKey::Meta, TORCH_FN(bias_gelu_backward_meta));

    m.def("bias_gelu_(Tensor(a!) x, Tensor bias, *, str approximate='none') -> ()");
    m.impl("bias_gelu_", kernel_dispatch_key, TORCH_FN(bias_gelu_));
    m.impl("bias_gelu_", c10::DispatchKey::Meta, TORCH_FN(bias_gelu_meta_));
    m.impl("bias_gelu_", c10::DispatchKey::Autograd, Boxed::makeFromBoxedFunction<&refuse_gradients>());

    for (const char* name : {"bias_gelu", "bias_gelu_backward", "bias_gelu_"})
        m.impl(name, c10::DispatchKey::ADInplaceOrView, Boxed::makeFromBoxedFunction<&refuse_tangents>());
}
