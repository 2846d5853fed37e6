// swiglu.cpp: tensors in, tensors out. First the operators that only compute, then the gradient of swiglu.
#include "swiglu.h"

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/custom_function.h>  // Function. What it costs: make chapter07 ARGS=--build-times

#include <array>
#include <optional>
#include <tuple>

#include "common/check_tensor.h"
#include "common/cuda_type.h"

// ---- raw operators: they only compute. While autograd records, they refuse tensors that require grad ----

constexpr std::array DTYPES = {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};

static void check_pair(const at::Tensor& a, const at::Tensor& b) {
    check_input(a, "a", DTYPES);
    check_input(b, "b", a.scalar_type());
    check_same(a, "a", b, "b");
}

// silu(a) * b. a, b: float32, float64, float16 or bfloat16, contiguous, of one shape, dtype and device.
at::Tensor swiglu_forward(const at::Tensor& a, const at::Tensor& b) {
    check_pair(a, b);
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor out = a.new_empty(a.sizes());
    // Calls the lambda with scalar_t as float, double, at::Half or at::BFloat16: the type that a holds.
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, a.scalar_type(), "swiglu_forward", [&] {
        using T = cuda_type<scalar_t>;
        launch_swiglu_forward(data<T>(out), data<const T>(a), data<const T>(b), a.numel(),
                              c10::cuda::getCurrentCUDAStream());
    });
    return out;
}

// The gradients for a and b, given the output's. output_mask (torch's word) selects the gradients to compute; the
// others are undefined tensors, in Python None. Only a's gradient needs b. All tensors: as for swiglu_forward.
std::tuple<at::Tensor, at::Tensor> swiglu_backward(const at::Tensor& grad, const at::Tensor& a,
                                                   const std::optional<at::Tensor>& b,
                                                   std::array<bool, 2> output_mask) {
    const bool wants_a = output_mask[0], wants_b = output_mask[1];
    check_input(a, "a", DTYPES);
    check_input(grad, "grad", a.scalar_type());
    check_same(grad, "grad", a, "a");
    if (wants_a) {
        check_input(b.value_or(at::Tensor()), "b", a.scalar_type());
        check_same(a, "a", *b, "b");
    }
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor grad_a = wants_a ? a.new_empty(a.sizes()) : at::Tensor();
    at::Tensor grad_b = wants_b ? a.new_empty(a.sizes()) : at::Tensor();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, a.scalar_type(), "swiglu_backward", [&] {
        using T = cuda_type<scalar_t>;
        launch_swiglu_backward<T>(wants_a ? data<T>(grad_a) : nullptr, wants_b ? data<T>(grad_b) : nullptr,
                                  data<const T>(grad), data<const T>(a), wants_a ? data<const T>(*b) : nullptr,
                                  a.numel(), c10::cuda::getCurrentCUDAStream());
    });
    return {grad_a, grad_b};
}

// ---- autograd ----

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// The gradients of swiglu_backward for create_graph=True, when somebody will differentiate them again. A kernel's
// results have no graph. Those of torch's operations have one, so derivatives of any order exist. Each operation rounds
// its result, so half precision becomes float first, as in the kernel.
static variable_list differentiable_gradients(const at::Tensor& grad, const at::Tensor& a, const at::Tensor& b,
                                              std::array<bool, 2> wanted) {
    const at::ScalarType dtype = a.scalar_type(), number = at::toOpMathType(dtype);
    const at::Tensor g = grad.to(number), x = a.to(number), s = x.sigmoid();
    variable_list gradients(2);  // undefined tensors
    if (wanted[0]) gradients[0] = (g * (b.to(number) * (s * (1 + x * (1 - s))))).to(dtype);
    if (wanted[1]) gradients[1] = (g * (x * s)).to(dtype);
    return gradients;
}

struct SwigluFunction : Function<SwigluFunction> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& a, const at::Tensor& b) {
        // b's gradient needs only a, a's needs both. A tensor that is not saved may be freed after the forward pass.
        ctx->save_for_backward({a, a.requires_grad() ? b : at::Tensor()});
        return swiglu_forward(a, b);
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
        const variable_list saved = ctx->get_saved_variables();  // throws if a saved tensor was changed in place
        const std::array<bool, 2> wanted = {ctx->needs_input_grad(0), ctx->needs_input_grad(1)};
        if (at::GradMode::is_enabled()) return differentiable_gradients(grads[0], saved[0], saved[1], wanted);
        // The elements of grads[0] may lie anywhere in memory: the gradient of sum() is one element, expanded.
        const at::Tensor grad = grads[0].resolve_neg().contiguous();
        const auto [grad_a, grad_b] = swiglu_backward(grad, saved[0], saved[1], wanted);
        return {grad_a, grad_b};
    }
};

// apply() asks for the shape of each tensor before forward() can check it, and a nested one has no shape.
template <class F>
static at::Tensor apply(const at::Tensor& a, const at::Tensor& b) {
    check_dense(a, "a");
    check_dense(b, "b");
    return F::apply(a, b);
}

// As swiglu_forward, and differentiable, any number of times.
at::Tensor swiglu(const at::Tensor& a, const at::Tensor& b) { return apply<SwigluFunction>(a, b); }

// ---- from the blog notes: add, whose backward needs neither input ----

// a + b. a, b: as for swiglu_forward.
at::Tensor add_forward(const at::Tensor& a, const at::Tensor& b) {
    check_pair(a, b);
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor c = a.new_empty(a.sizes());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, a.scalar_type(), "add_forward", [&] {
        using T = cuda_type<scalar_t>;
        launch_add_forward(data<T>(c), data<const T>(a), data<const T>(b), a.numel(),
                           c10::cuda::getCurrentCUDAStream());
    });
    return c;
}

// c = a + b, so dL/da = dL/db = dL/dc. backward passes the gradient on and needs neither a nor b, so nothing is saved.
struct AddFunction : Function<AddFunction> {
    static at::Tensor forward(AutogradContext*, const at::Tensor& a, const at::Tensor& b) { return add_forward(a, b); }
    static variable_list backward(AutogradContext*, const variable_list& grads) { return {grads[0], grads[0]}; }
};

at::Tensor add_autograd(const at::Tensor& a, const at::Tensor& b) { return apply<AddFunction>(a, b); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("swiglu_forward", torch::wrap_pybind_function_no_gil(swiglu_forward), py::arg("a"), py::arg("b"));
    m.def("swiglu_backward", torch::wrap_pybind_function_no_gil(swiglu_backward), py::arg("grad"), py::arg("a"),
          py::arg("b"), py::arg("output_mask").noconvert() = std::array<bool, 2>{true, true});
    m.def("swiglu", torch::wrap_pybind_function_no_gil(swiglu), py::arg("a"), py::arg("b"));
    m.def("add_forward", torch::wrap_pybind_function_no_gil(add_forward), py::arg("a"), py::arg("b"));
    m.def("add", torch::wrap_pybind_function_no_gil(add_autograd), py::arg("a"), py::arg("b"));
}
