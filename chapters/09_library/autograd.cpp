// autograd.cpp: the gradient and the autocast of library.py, in C++, for programs without Python. An operator can have
// only one gradient, so this file adds an operator in another namespace: chapter09_cpp::bias_gelu.
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <string>
#include <string_view>
#include <tuple>

#include "common/check_tensor.h"

using Forward = at::Tensor(const at::Tensor&, const at::Tensor&, std::string_view);

// Finds a registered operator by its name and calls it through the dispatcher, so that torch.compile sees the call.
static at::Tensor call(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("chapter09::bias_gelu", "").typed<Forward>();
    return op.call(x, bias, approximate);
}

static std::tuple<at::Tensor, at::Tensor> call_backward(const at::Tensor& grad, const at::Tensor& x,
                                                        const at::Tensor& bias, std::string_view approximate) {
    using Schema =
        std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&, const at::Tensor&, std::string_view);
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("chapter09::bias_gelu_backward", "").typed<Schema>();
    return op.call(grad, x, bias, approximate);
}

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct BiasGelu : Function<BiasGelu> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& bias,
                              const std::string& approximate) {
        ctx->save_for_backward({x, bias});
        ctx->saved_data["approximate"] = approximate;
        const at::AutoDispatchBelowAutograd guard;  // the dispatcher continues after autograd
        return call(x, bias, approximate);
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
        const variable_list saved = ctx->get_saved_variables();
        const std::string approximate = ctx->saved_data["approximate"].toStringRef();
        const auto [grad_x, grad_bias] = call_backward(grads[0].contiguous(), saved[0], saved[1], approximate);
        return {grad_x, grad_bias, at::Tensor()};
    }
};

// apply() asks a tensor for its device and shape before forward() can check it. None has neither, and a nested tensor
// has no shape.
static void check_shaped(const at::Tensor& x, const char* name) {
    TORCH_CHECK_TYPE(x.defined(), name, " must be a tensor, got an undefined one");
    check_dense(x, name);
}

static at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    check_shaped(x, "x");
    check_shaped(bias, "bias");
    return BiasGelu::apply(x, bias, std::string(approximate));
}

// In an autocast region, tensors of different dtypes become the widest of them, float32, as in library.py. This runs
// before autograd, which then saves the tensors that the kernel gets. cached_cast does not convert double.
static at::Tensor autocast(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    using namespace at::autocast;
    const c10::impl::ExcludeDispatchKeyGuard guard(get_autocast_dispatch_key_from_device_type(kernel_device));
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("chapter09_cpp::bias_gelu", "").typed<Forward>();
    if (x.scalar_type() == bias.scalar_type()) return op.call(x, bias, approximate);
    return op.call(cached_cast(at::kFloat, x, kernel_device), cached_cast(at::kFloat, bias, kernel_device),
                   approximate);
}

TORCH_LIBRARY(chapter09_cpp, m) {
    m.def("bias_gelu(Tensor x, Tensor bias, *, str approximate='none') -> Tensor");
    m.impl("bias_gelu", at::autocast::get_autocast_dispatch_key_from_device_type(kernel_device), TORCH_FN(autocast));
    m.impl("bias_gelu", c10::DispatchKey::Autograd, TORCH_FN(bias_gelu));
    m.impl("bias_gelu", c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(call));
}
