"""What the operators of softmax.cpp lack, added in Python: shapes for torch.compile, and gradients (chapters 09 and 10).

Chapter 15 registers the same functions for its own two operators.
"""

from functools import partial

import torch

FLOATS = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16"}


def register(namespace, steps, steps_of_backward):
    """Once for each process and namespace, after the library was loaded. steps: what softmax takes as `step`."""
    ops, name = getattr(torch.ops, namespace), f"{namespace}::softmax"
    torch.library.register_fake(name, partial(fake_softmax, steps))
    torch.library.register_fake(f"{name}_backward", partial(fake_softmax_backward, steps_of_backward))
    torch.library.register_autograd(name, partial(softmax_backward, ops), setup_context=save_result)
    torch.library.register_autograd(f"{name}_backward", softmax_twice, setup_context=save)


# ---- for tensors that have a shape and no memory; the words are those of the bindings --------------------------------
def check(x, name, dtype=None):
    dtypes = " or ".join([FLOATS[dtype]] if dtype else FLOATS.values())
    torch._check(x.dtype == (dtype or x.dtype) and x.dtype in FLOATS, lambda: (
        f"{name} must have dtype {dtypes}, got {x.dtype}"))  # fmt: skip
    torch._check(x.is_contiguous(), lambda: (
        f"{name} must be contiguous, got strides {x.stride()} for shape {x.shape}; pass {name}.contiguous()"))  # fmt: skip
    torch._check(x.dim() >= 1, lambda: f"{name} must have 1 dimension or more, got 0")


def check_same(a, a_name, b, b_name):
    torch._check(a.shape == b.shape, lambda: (
        f"{a_name} and {b_name} must have the same shape, got {a.shape} and {b.shape}"))  # fmt: skip
    torch._check(a.device == b.device, lambda: (
        f"{a_name} and {b_name} must be on the same device, got {a.device} and {b.device}"))  # fmt: skip


def check_step(step, steps):
    torch._check(step in steps, lambda: f"step must be {', '.join(steps[:-1])} or {steps[-1]}, got {step}")


def fake_softmax(steps, x, *, step="auto"):
    check(x, "x")
    check_step(step, steps)
    return torch.empty_like(x)


def fake_softmax_backward(steps, grad, y, *, step="auto"):
    check(grad, "grad")
    check(y, "y", grad.dtype)
    check_same(grad, "grad", y, "y")
    check_step(step, steps)
    return torch.empty_like(y)


# ---- gradients -------------------------------------------------------------------------------------------------------
def save_result(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(output)  # the gradient needs the result alone


def softmax_backward(ops, ctx, grad):
    return ops.softmax_backward(grad.contiguous(), *ctx.saved_tensors)


def save(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)


def softmax_twice(ctx, grad):
    """The gradients of y * (g - the sum of g * y) in g and y, in torch's operations, which have gradients again."""
    g, y = ctx.saved_tensors
    sum_gy, sum_y = (g * y).sum(-1, keepdim=True), (grad * y).sum(-1, keepdim=True)
    return y * (grad - sum_y), grad * (g - sum_gy) - g * sum_y
