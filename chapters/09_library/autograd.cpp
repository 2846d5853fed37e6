// autograd.cpp: gradient and autocast of library.py once more, in C++, for programs with no Python. An operator has one
// gradient, so this file adds an operator with another name: chapter09_cpp::bias_gelu.
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <string>
#include <string_view>
#include <tuple>

#include "common/check_input.h"

using Forward = at::Tensor(const at::Tensor&, const at::Tensor&, std::string_view);

// The registered operators, found by name and called through the dispatcher: so torch.compile sees them, too.
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
        const at::AutoDispatchBelowAutograd guard;  // the dispatcher goes on behind autograd
        return call(x, bias, approximate);
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
        const variable_list saved = ctx->get_saved_variables();
        const std::string approximate = ctx->saved_data["approximate"].toStringRef();
        const auto [grad_x, grad_bias] = call_backward(grads[0].contiguous(), saved[0], saved[1], approximate);
        return {grad_x, grad_bias, at::Tensor()};
    }
};

// apply() asks a tensor for its device and shape before forward() can check it. None has neither, a nested one no
// shape.
static void check_shaped(const at::Tensor& x, const char* name) {
    TORCH_CHECK_TYPE(x.defined(), name, " must be a tensor, got an undefined one");
    check_dense(x, name);
}

static at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    check_shaped(x, "x");
    check_shaped(bias, "bias");
    return BiasGelu::apply(x, bias, std::string(approximate));
}

// In an autocast region, this runs before autograd, which then saves the float32 tensors that the kernel gets.
static at::Tensor autocast(const at::Tensor& x, const at::Tensor& bias, std::string_view approximate) {
    using namespace at::autocast;
    const c10::impl::ExcludeDispatchKeyGuard guard(get_autocast_dispatch_key_from_device_type(kernel_device));
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("chapter09_cpp::bias_gelu", "").typed<Forward>();
    return op.call(cached_cast(at::kFloat, x, kernel_device), cached_cast(at::kFloat, bias, kernel_device),
                   approximate);
}

TORCH_LIBRARY(chapter09_cpp, m) {
    m.def("bias_gelu(Tensor x, Tensor bias, *, str approximate='none') -> Tensor");
    m.impl("bias_gelu", at::autocast::get_autocast_dispatch_key_from_device_type(kernel_device), TORCH_FN(autocast));
    m.impl("bias_gelu", c10::DispatchKey::Autograd, TORCH_FN(bias_gelu));
    m.impl("bias_gelu", c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(call));
}
