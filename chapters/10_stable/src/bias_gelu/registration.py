"""What the stable ABI does not offer and chapter 09 has in C++: sizes that are symbols, and requires_grad."""

import torch
from torch.library import get_kernel, impl, register_fake

ops = torch.ops.chapter10


def has_kernel(key):
    try:
        get_kernel("chapter10::bias_gelu", key)
    except RuntimeError:  # torch says that there is no kernel for that key
        return False
    return True


# The kernels run on a GPU, unless the library was built for CUDA on CPU.
device_type = "cuda" if has_kernel("CUDA") else "cpu"


# ---- for tensors that have a shape and no memory. The messages are those of bias_gelu.cpp ----------------------------


def check_one(x, name, *dtypes):
    names = " or ".join(NAMES[dtype] for dtype in dtypes)
    torch._check(x.dtype in dtypes, lambda: f"{name} must have dtype {names}, got {x.dtype}")
    torch._check(x.is_contiguous(), lambda: (
        f"{name} must be contiguous, got strides {x.stride()} for shape {x.shape}; pass {name}.contiguous()"))  # fmt: skip


NAMES = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16"}


def check(x, bias, approximate):
    check_one(x, "x", *NAMES)
    check_one(bias, "bias", x.dtype)
    torch._check(x.dim() >= 1, lambda: "x must have 1 dimension or more, got 0")
    torch._check(bias.dim() == 1 and bias.shape[0] == x.shape[-1], lambda: (
        f"bias must have the shape [{x.shape[-1]}], as x has the shape {x.shape}, got {bias.shape}"))  # fmt: skip
    torch._check(x.device == bias.device, lambda: (
        f"x and bias must be on the same device, got {x.device} and {bias.device}"))  # fmt: skip
    known = approximate in ("none", "tanh")
    torch._check(known, lambda: f"approximate must be none or tanh, got {approximate}")


@register_fake("chapter10::bias_gelu")
def _(x, bias, *, approximate="none"):
    check(x, bias, approximate)
    return torch.empty_like(x)


@register_fake("chapter10::bias_gelu_")
def _(x, bias, *, approximate="none"):
    check(x, bias, approximate)


@register_fake("chapter10::bias_gelu_backward")
def _(grad, x, bias, *, approximate="none"):
    check(x, bias, approximate)
    check_one(grad, "grad", x.dtype)
    torch._check(grad.shape == x.shape, lambda: (
        f"grad and x must have the same shape, got {grad.shape} and {x.shape}"))  # fmt: skip
    torch._check(grad.device == x.device, lambda: (
        f"grad and x must be on the same device, got {grad.device} and {x.device}"))  # fmt: skip
    return torch.empty_like(x), torch.empty_like(bias)


# ---- in place: there is no gradient, and torch alone would not raise an error ----------------------------------------


@impl("chapter10::bias_gelu_", "Autograd")
def _(x, bias, *, approximate="none"):
    for name, t in ("x", x), ("bias", bias):
        torch._check(not (t.requires_grad and torch.is_grad_enabled()), lambda name=name: (
            f"{name} requires grad, but this operator has no backward and would silently cut the graph; pass "
            f"{name}.detach() or call it under torch.no_grad()"))  # fmt: skip
    torch.autograd.graph.increment_version(x)  # if a node has saved x, backward will raise an error
    with torch._C._AutoDispatchBelowAutograd():
        ops.bias_gelu_(x, bias, approximate=approximate)
