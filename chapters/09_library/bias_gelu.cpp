// bias_gelu.cpp: the operators, and their entries in torch's dispatcher. It uses no Python, so a C++ program can load
// it.
#include "bias_gelu.h"

#include <ATen/Dispatch.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/OpMathType.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "common/check_tensor.h"
#include "common/cuda_type.h"

// ---- for tensors that have a shape and no memory (Meta) ----

// Refuses what no kernel can use. While torch.export tries out a model, a size may be a symbol: sym_size() returns a
// number or a symbol.
static void check_one(const at::Tensor& x, const char* name, at::ArrayRef<at::ScalarType> dtypes) {
    TORCH_CHECK_TYPE(x.defined(), name, " must be a tensor, got an undefined one");  // None
    const bool right = std::find(dtypes.begin(), dtypes.end(), x.scalar_type()) != dtypes.end();
    TORCH_CHECK_TYPE(right, name, " must have dtype ", c10::Join(" or ", dtypes), ", got ", x.scalar_type());
    TORCH_CHECK_VALUE(x.is_contiguous(), name, " must be contiguous, got strides ", x.sym_strides(), " for shape ",
                      x.sym_sizes(), "; pass ", name, ".contiguous()");
}

constexpr std::array DTYPES = {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};

static void check(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    check_one(x, "x", DTYPES);
    check_one(bias, "bias", x.scalar_type());
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
// Each operator begins with its Meta function, so it refuses what Meta refuses, and returns results of the same shape.

// Checks what only a tensor with memory can have wrong. With library.py, no tensor that arrives here requires grad,
// because the dispatcher runs the gradient's function first. But a program may load the library without library.py.
static void check_memory_of(const at::Tensor& x, const char* name) {
    check_memory(x, name);
    check_no_grad(x, name);
}

static int64_t rows_of(const at::Tensor& x) { return x.numel() == 0 ? 0 : x.numel() / x.size(-1); }

static void run(at::Tensor& out, const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    check_memory_of(x, "x");
    check_memory_of(bias, "bias");
    const c10::cuda::CUDAGuard guard(x.device());
    // Calls the lambda with scalar_t as float, double, at::Half or at::BFloat16: the type that x holds.
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "bias_gelu", [&] {
        using T = cuda_type<scalar_t>;
        T* const result = data<T>(out);  // first, because it may move x if out is x (lazy copies)
        launch_bias_gelu(result, data<const T>(x), data<const T>(bias), rows_of(x), x.size(-1), approximate == "tanh",
                         c10::cuda::getCurrentCUDAStream());
    });
}

// gelu(x + bias), in a new tensor.
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
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "bias_gelu_backward", [&] {
        using T = cuda_type<scalar_t>;
        const int64_t rows = rows_of(x), columns = x.size(-1);
        const at::ScalarType number = at::toOpMathType(x.scalar_type());  // float for half precision, as Number<T>
        const at::Tensor partial = x.new_empty({partial_rows<T>(rows, columns), columns}, number);
        launch_bias_gelu_backward(data<T>(grad_x), data<T>(grad_bias), data<Number<T>>(partial), data<const T>(grad),
                                  data<const T>(x), data<const T>(bias), rows, columns, approximate == "tanh",
                                  c10::cuda::getCurrentCUDAStream());
    });
    return {grad_x, grad_bias};
}

// gelu(x + bias), written into x. It returns nothing, because an operator may not return its argument or a view of it.
static void bias_gelu_(at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    bias_gelu_meta_(x, bias, approximate);
    const auto overlap = at::get_overlap_status(x, bias);  // a thread would read a bias that another has overwritten
    TORCH_CHECK_VALUE(overlap != at::MemOverlapStatus::Partial, "x must not share a part of its memory with bias");
    run(x, x, bias, approximate);
}

// ---- between autograd and the kernels ----
// These functions are boxed: they take the arguments of any operator from a stack.

using Boxed = torch::CppFunction;

template <class Check>
static void for_each_tensor(const c10::OperatorHandle& op, const torch::jit::Stack& stack, const Check& check) {
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); i++) {
        const c10::IValue& value = stack[stack.size() - arguments.size() + i];
        if (value.isTensor()) check(value.toTensor(), arguments[i]);
    }
}

// Under Autograd, for bias_gelu_. It has no gradient, because backward would need the old x. The check cannot be in the
// kernel's function: under torch.func, the tensors that arrive there no longer require grad.
static void refuse_gradients(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    for_each_tensor(op, *stack, [](const at::Tensor& x, const c10::Argument& argument) {
        check_no_grad(x, argument.name().c_str());
    });
    op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
}

// Under ADInplaceOrView, for all operators. They have no forward-mode gradient, and torch would silently drop the
// tangent. An argument that is written, Tensor(a!), gets a new version number, which tells autograd that it has
// changed.
static void refuse_tangents(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    for_each_tensor(op, *stack, [](const at::Tensor& x, const c10::Argument& argument) {
        check_no_tangent(x, argument.name().c_str());
        if (argument.alias_info() && argument.alias_info()->isWrite()) x.unsafeGetTensorImpl()->bump_version();
    });
    op.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
}

// ---- the entries in the dispatcher ----

// The macro makes a global object, whose constructor runs this block when the library is loaded. kernel_dispatch_key is
// CUDA, or CPU without a GPU. Meta is for meta tensors, and for the fake tensors of torch.compile and torch.export.
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
