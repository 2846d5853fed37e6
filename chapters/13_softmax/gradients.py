"""What the operators of softmax.cpp lack, added in Python: shapes for torch.compile, and gradients (chapters 09 and 10)."""

import torch

ops = torch.ops.chapter13
FLOATS = {torch.float32: "Float", torch.float16: "Half", torch.bfloat16: "BFloat16"}
STEPS = ["auto", "online", "warp", "block", "cluster"]
STEPS_OF_SOFTMAX = ["auto", "three_passes", "shared", *STEPS[1:]]


def register():
    """Once for each process, after the library was loaded."""
    for name, fake in {
        "softmax": fake_softmax,
        "softmax_backward": fake_softmax_backward,
        "rms_norm": fake_rms_norm,
        "rms_norm_backward": fake_rms_norm_backward,
    }.items():
        torch.library.register_fake(f"chapter13::{name}", fake)
    torch.library.register_autograd("chapter13::softmax", softmax_backward, setup_context=save_softmax)
    torch.library.register_autograd("chapter13::softmax_backward", softmax_twice, setup_context=save)
    torch.library.register_autograd("chapter13::rms_norm", rms_norm_backward, setup_context=save_rms_norm)
    torch.library.register_autograd("chapter13::rms_norm_backward", rms_norm_twice, setup_context=save_rms_norm)


# ---- for tensors that have a shape and no memory; the words are those of softmax.cpp ---------------------------------
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


def check_step(step, steps=STEPS):
    torch._check(step in steps, lambda: f"step must be {', '.join(steps[:-1])} or {steps[-1]}, got {step}")


def fake_softmax(x, *, step="auto"):
    check(x, "x")
    check_step(step, STEPS_OF_SOFTMAX)
    return torch.empty_like(x)


def fake_softmax_backward(grad, y, *, step="auto"):
    check(grad, "grad")
    check(y, "y", grad.dtype)
    check_same(grad, "grad", y, "y")
    check_step(step)
    return torch.empty_like(y)


def fake_rms_norm(x, weight, eps=1e-6, *, step="auto"):
    check(x, "x")
    check(weight, "weight", x.dtype)
    torch._check(weight.dim() == 1 and weight.shape[0] == x.shape[-1], lambda: (
        f"weight must have the shape [{x.shape[-1]}], as x has the shape {x.shape}, got {weight.shape}"))  # fmt: skip
    torch._check(x.device == weight.device, lambda: (
        f"x and weight must be on the same device, got {x.device} and {weight.device}"))  # fmt: skip
    torch._check(0 <= eps <= torch.finfo(torch.float32).max, lambda: (
        f"eps must be 0 or more, and fit into float32, got {eps}"))  # fmt: skip
    check_step(step)
    return torch.empty_like(x)


def fake_rms_norm_backward(grad, x, weight, eps=1e-6, *, step="auto"):
    fake_rms_norm(x, weight, eps, step=step)
    check(grad, "grad", x.dtype)
    check_same(grad, "grad", x, "x")
    return torch.empty_like(x), torch.empty_like(weight)


# ---- gradients -------------------------------------------------------------------------------------------------------
def save_softmax(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(output)  # the gradient needs the result alone


def softmax_backward(ctx, grad):
    return ops.softmax_backward(grad.contiguous(), *ctx.saved_tensors)


def save(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)


def softmax_twice(ctx, grad):
    """The gradients of y * (g - the sum of g * y) in g and y, in torch's operations, which have gradients again."""
    g, y = ctx.saved_tensors
    sum_gy, sum_y = (g * y).sum(-1, keepdim=True), (grad * y).sum(-1, keepdim=True)
    return y * (grad - sum_y), grad * (g - sum_gy) - g * sum_y


def save_rms_norm(ctx, inputs, keyword_only_inputs, output):
    *tensors, ctx.eps = inputs
    ctx.save_for_backward(*tensors)


def rms_norm_backward(ctx, grad):
    return *ops.rms_norm_backward(grad.contiguous(), *ctx.saved_tensors, ctx.eps), None


def rms_norm_twice(ctx, grad_of_grad_x, grad_of_grad_weight):
    """By autograd: the gradient of rms_norm in torch's operations, differentiated once more."""
    with torch.enable_grad():
        leaves = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        grad, x, weight = leaves
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + ctx.eps)
        part = grad * weight
        of_x = scale * (part - x * scale.square() * (part * x).mean(-1, keepdim=True))
        of_weight = (grad * x * scale).flatten(end_dim=-2).sum(0) if x.dim() > 1 else grad * x * scale
        both = torch.autograd.grad((of_x, of_weight), leaves, (grad_of_grad_x, grad_of_grad_weight))
    return *both, None
