"""What the stable ABI leaves to Python: shapes without memory, gradients, and what autograd must know of the rest."""

import torch
from torch.library import impl, register_autograd, register_fake

ops = torch.ops.chapter10
gelu_backward = torch.ops.aten.gelu_backward


# ---- what torch.compile and torch.export learn of a result before there is one: as the checks of bias_gelu.cpp -------


def check(approximate, **tensors):
    """The words of bias_gelu.cpp up to "got", for x, bias and others that are like x."""
    x, bias = tensors["x"], tensors["bias"]
    torch._check(approximate in ("none", "tanh"), lambda: f"approximate must be none or tanh, got {approximate}")
    for name, t in tensors.items():
        dtypes = {torch.float32: "Float", torch.float64: "Double"}
        dtypes = dtypes if name == "x" else {x.dtype: dtypes[x.dtype]}
        torch._check(t.dtype in dtypes, lambda name=name, t=t, d=dtypes: (
            f"{name} must have dtype {' or '.join(d.values())}, got {t.dtype}"))  # fmt: skip
        torch._check(t.is_contiguous(), lambda name=name, t=t: (
            f"{name} must be contiguous, got strides {t.stride()} for shape {t.shape}"))  # fmt: skip
        torch._check(t.device == x.device, lambda name=name, t=t: (
            f"x and {name} must be on the same device, got {x.device} and {t.device}"))  # fmt: skip
        torch._check(name == "bias" or t.shape == x.shape, lambda name=name, t=t: (
            f"{name} and x must have the same shape, got {t.shape} and {x.shape}"))  # fmt: skip
    torch._check(x.dim() >= 1, lambda: "x must have 1 dimension or more, got the shape []")
    torch._check(bias.shape == x.shape[-1:], lambda: (
        f"bias must have the shape [{x.shape[-1]}], as x has {x.shape[-1]} columns, got {bias.shape}"))  # fmt: skip


@register_fake("chapter10::bias_gelu")
def _(x, bias, *, approximate="none"):
    check(approximate, x=x, bias=bias)
    return torch.empty_like(x)


@register_fake("chapter10::bias_gelu_")
def _(x, bias, *, approximate="none"):
    check(approximate, x=x, bias=bias)


@register_fake("chapter10::bias_gelu_backward")
def _(grad, x, bias, *, approximate="none"):
    check(approximate, x=x, bias=bias, grad=grad)
    return torch.empty_like(x), torch.empty_like(bias)


# ---- gradients -------------------------------------------------------------------------------------------------------


def setup_context(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)
    ctx.approximate = keyword_only_inputs["approximate"]


def backward(ctx, grad):
    x, bias = ctx.saved_tensors  # raises if one was changed in place meanwhile
    # Its elements may lie anywhere in memory: the gradient of sum() is one element, expanded.
    return ops.bias_gelu_backward(grad.contiguous(), x, bias, approximate=ctx.approximate)


register_autograd("chapter10::bias_gelu", backward, setup_context=setup_context)


def double_backward(ctx, grad_grad_x, grad_grad_bias):
    """Of the gradients, by torch's operations: so there is a third derivative, too."""
    with torch.enable_grad():
        grad, x, bias = inputs = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        grad_x = gelu_backward(grad, x + bias, approximate=ctx.approximate)
        grads = grad_x, grad_x.flatten(0, -2).sum(0) if x.dim() > 1 else grad_x
    return torch.autograd.grad(grads, inputs, (grad_grad_x, grad_grad_bias))


register_autograd("chapter10::bias_gelu_backward", double_backward, setup_context=setup_context)


@impl("chapter10::bias_gelu_", "Autograd")
def _(x, bias, *, approximate="none"):
    """torch has no gradient for an operator that overwrites its input, and the stable ABI cannot refuse one."""
    for name, t in ("x", x), ("bias", bias):
        if t.requires_grad and torch.is_grad_enabled():
            raise RuntimeError(
                f"{name} requires grad, but this operator has no backward and would cut the graph in silence; pass "
                f"{name}.detach() or call it under torch.no_grad()"
            )
    torch.autograd.graph.increment_version(x)  # if autograd has kept x's old values, it will refuse to use them
    with torch._C._AutoDispatchBelowAutograd():
        ops.bias_gelu_(x, bias, approximate=approximate)
