"""What rms_norm.cpp lacks, added in Python: shapes for torch.compile, gradients, autocast (chapters 09 and 10)."""

import functools

import torch

ops = torch.ops.chapter14
FLOATS = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16"}


def register(device_type):
    """Once for each process, after the library was loaded. device_type: where its kernels run."""
    for name, (fake, setup, backward) in {
        "rms_norm": (fake_rms_norm, save, rms_norm_backward),
        "rms_norm_backward": (fake_rms_norm_backward, save, rms_norm_twice),
        "add_rms_norm": (fake_add_rms_norm, save_sum, add_rms_norm_backward),
        "add_rms_norm_backward": (fake_add_rms_norm_backward, save, add_rms_norm_twice),
    }.items():
        torch.library.register_fake(f"chapter14::{name}", fake)
        torch.library.register_autograd(f"chapter14::{name}", backward, setup_context=setup)
    for name in "rms_norm", "add_rms_norm":
        autocast = functools.partial(in_one_dtype, getattr(ops, name), device_type)
        torch.library.impl(f"chapter14::{name}", f"Autocast{device_type.upper()}", autocast)


# ---- for tensors that have a shape and no memory; the words are those of rms_norm.cpp --------------------------------
def check(x, name, dtype=None):
    dtypes = " or ".join([FLOATS[dtype]] if dtype else FLOATS.values())
    torch._check(x.dtype == (dtype or x.dtype) and x.dtype in FLOATS, lambda: (
        f"{name} must have dtype {dtypes}, got {x.dtype}"))  # fmt: skip
    torch._check(x.is_contiguous(), lambda: (
        f"{name} must be contiguous, got strides {x.stride()} for shape {x.shape}; pass {name}.contiguous()"))  # fmt: skip


def check_rows(x, name, weight, eps):
    check(x, name)
    torch._check(x.dim() >= 1, lambda: f"{name} must have 1 dimension or more, got 0")
    check(weight, "weight", x.dtype)
    torch._check(weight.dim() == 1 and weight.shape[0] == x.shape[-1], lambda: (
        f"weight must have the shape [{x.shape[-1]}], as {name} has the shape {x.shape}, got {weight.shape}"))  # fmt: skip
    torch._check(x.device == weight.device, lambda: (
        f"{name} and weight must be on the same device, got {x.device} and {weight.device}"))  # fmt: skip
    torch._check(0 <= eps <= torch.finfo(torch.float32).max, lambda: (
        f"eps must be 0 or more, and fit into float32, got {eps}"))  # fmt: skip


def check_like(a, a_name, x, name):
    check(a, a_name, x.dtype)
    torch._check(a.shape == x.shape, lambda: (
        f"{a_name} and {name} must have the same shape, got {a.shape} and {x.shape}"))  # fmt: skip
    torch._check(a.device == x.device, lambda: (
        f"{a_name} and {name} must be on the same device, got {a.device} and {x.device}"))  # fmt: skip


def fake_rms_norm(x, weight, eps=1e-6):
    check_rows(x, "x", weight, eps)
    return torch.empty_like(x)


def fake_add_rms_norm(x, residual, weight, eps=1e-6):
    check_rows(x, "x", weight, eps)
    check_like(residual, "residual", x, "x")
    return torch.empty_like(x), torch.empty_like(x)


def fake_rms_norm_backward(grad, x, weight, eps=1e-6):
    check_rows(x, "x", weight, eps)
    check_like(grad, "grad", x, "x")
    return torch.empty_like(x), torch.empty_like(weight)


def fake_add_rms_norm_backward(grad, grad_sum, sum, weight, eps=1e-6):
    check_rows(sum, "sum", weight, eps)
    check_like(grad, "grad", sum, "sum")
    check_like(grad_sum, "grad_sum", sum, "sum")
    return torch.empty_like(sum), torch.empty_like(weight)


# ---- gradients -------------------------------------------------------------------------------------------------------
def save(ctx, inputs, output):
    *tensors, ctx.eps = inputs
    ctx.save_for_backward(*tensors)


def rms_norm_backward(ctx, grad):
    return *ops.rms_norm_backward(grad.contiguous(), *ctx.saved_tensors, ctx.eps), None


def save_sum(ctx, inputs, output):
    _, _, weight, ctx.eps = inputs
    ctx.save_for_backward(output[1], weight)  # x and residual are not needed
    ctx.set_materialize_grads(False)  # a result that nobody used has the gradient None, not a tensor of zeros


def add_rms_norm_backward(ctx, grad, grad_sum):
    if grad is None:  # only sum was used, which is an addition
        return grad_sum, grad_sum, None, None
    if grad_sum is None:
        grad_x, grad_weight = ops.rms_norm_backward(grad.contiguous(), *ctx.saved_tensors, ctx.eps)
    else:
        grads = grad.contiguous(), grad_sum.contiguous()
        grad_x, grad_weight = ops.add_rms_norm_backward(*grads, *ctx.saved_tensors, ctx.eps)
    return grad_x, grad_x, grad_weight, None


def rms_norm_twice(ctx, a, b):
    """The gradients of <a, grad_x> + <b, grad_weight>, in torch's operations, which have gradients of any order."""
    return *second(*ctx.saved_tensors, a, b, ctx.eps), None


def add_rms_norm_twice(ctx, a, b):
    grad, _, x, weight = ctx.saved_tensors
    of_grad, of_x, of_weight = second(grad, x, weight, a, b, ctx.eps)
    return of_grad, a, of_x, of_weight, None


def second(grad, x, weight, a, b, eps):
    dtype = x.dtype
    g, x, w, a, b = (t.to(torch.promote_types(dtype, torch.float32)) for t in (grad, x, weight, a, b))

    def mean(t):
        return t.mean(-1, keepdim=True)

    # In each row: grad_x = s * p - s^3 * mean(p * x) * x, and what it adds to grad_weight is s * g * x.
    s = torch.rsqrt(mean(x * x) + eps)
    p, px, ax = g * w, mean(g * w * x), mean(a * x)
    of_p = s * a - s**3 * ax * x
    of_s = mean(a * p) + mean(b * g * x) - 3 * s**2 * px * ax  # divided by n
    of_x = s * b * g - s**3 * (px * a + ax * p + of_s * x)
    of_weight = (g * of_p).flatten(end_dim=-2).sum(0) if x.dim() > 1 else g * of_p
    return (w * of_p + s * b * x).to(dtype), of_x.to(dtype), of_weight.to(dtype)


# ---- autocast --------------------------------------------------------------------------------------------------------
def in_one_dtype(op, device_type, *tensors_and_eps):
    """The rule of chapter 09: in an autocast region, tensors of different dtypes all become the widest of them, float32. So
    nothing is rounded that the caller has in float32, such as a residual. Autocast never converts float64."""
    if len({t.dtype for t in tensors_and_eps if isinstance(t, torch.Tensor)}) > 1:
        half = torch.float16, torch.bfloat16
        tensors_and_eps = [t.float() if getattr(t, "dtype", None) in half else t for t in tensors_and_eps]
    with torch.autocast(device_type, enabled=False):  # otherwise this function would call itself
        return op(*tensors_and_eps)
