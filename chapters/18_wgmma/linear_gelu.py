"""What linear_gelu lacks in C++, added in Python: shapes for torch.compile, gradients, autocast. matmul has products.py."""

import functools

import products
import torch

HALVES = [torch.float16, torch.bfloat16]
RUNGS = ["first", "larger", "ring"]
TILES = ["64x64", "64x128", "128x64", "192x64", "128x128", "192x128", "128x256", "2x64x128", "2x128x128", "2x128x192",
         "2x128x256"]  # fmt: skip
DIVIDED = [f"{tile} k/{parts}" for tile in ("64x64", "64x128", "192x64", "192x128") for parts in (2, 4, 8)]
STEPS = ["auto", "fallback", "direct", *RUNGS, *TILES, *DIVIDED]


def register(device_type):
    """Once for each process, after the library was loaded."""
    torch.library.register_fake("chapter18::linear_gelu", fake_linear_gelu)
    torch.library.register_autograd("chapter18::linear_gelu", gradients, setup_context=save)
    cast = functools.partial(in_one_dtype, device_type)
    torch.library.impl("chapter18::linear_gelu", f"Autocast{device_type.upper()}", cast)


# ---- for tensors that have a shape and no memory; the words are those of wgmma.cpp -----------------------------------
def fake_linear_gelu(x, weight, bias, *, approximate="none", step="auto"):
    products.check(x, "x", HALVES)
    products.check(weight, "weight", [x.dtype])
    products.check(bias, "bias", [x.dtype])
    torch._check(x.dim() in (2, 3), lambda: f"x must have 2 or 3 dimensions, got {x.dim()}")

    def words(name, shape, of, other):
        return f"{name} must have the shape [{shape}], as {of} has the shape {other.shape}, got "

    fits = functools.partial(words, "weight", f"n, {x.shape[-1]}", "x", x)
    torch._check(weight.dim() == 2, lambda: f"{fits()}{weight.shape}")
    torch._check(weight.shape[1] == x.shape[-1], lambda: f"{fits()}{weight.shape}")
    fits = functools.partial(words, "bias", f"{weight.shape[0]}", "weight", weight)
    torch._check(bias.dim() == 1, lambda: f"{fits()}{bias.shape}")
    torch._check(bias.shape[0] == weight.shape[0], lambda: f"{fits()}{bias.shape}")
    products.check_sides(x, "x")
    products.check_sides(weight, "weight")
    check_same_device(x, weight, "weight")
    check_same_device(x, bias, "bias")
    torch._check(approximate in ("none", "tanh"), lambda: f"approximate must be none or tanh, got {approximate}")
    torch._check(step in STEPS, lambda: f"step must be {', '.join(STEPS[:-1])} or {STEPS[-1]}, got {step}")
    torch._check(step not in (*RUNGS, "direct"), lambda: (
        f"step must be auto, fallback or a tile, as the others know no bias, got {step}"))  # fmt: skip
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def check_same_device(x, y, name):
    torch._check(x.device == y.device, lambda: (
        f"x and {name} must be on the same device, got {x.device} and {y.device}"))  # fmt: skip


# ---- gradients -------------------------------------------------------------------------------------------------------
def save(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)
    ctx.approximate = keyword_only_inputs["approximate"]


def gradients(ctx, grad):
    """GELU's argument is computed again: nobody has kept it. Its gradient is torch's, the products are the operator's own."""
    matmul = torch.ops.chapter18.matmul
    x, weight, bias = ctx.saved_tensors
    x, grad = x.flatten(0, -2), grad.flatten(0, -2)  # the rows of all batches are those of one tall matrix
    grad = torch.ops.aten.gelu_backward(grad, matmul(x, weight.mT) + bias, approximate=ctx.approximate)
    of_x = matmul(grad, weight).view(ctx.saved_tensors[0].shape) if ctx.needs_input_grad[0] else None
    of_weight = matmul(grad.mT, x) if ctx.needs_input_grad[1] else None
    of_bias = grad.sum(0) if ctx.needs_input_grad[2] else None
    return of_x, of_weight, of_bias


# ---- autocast --------------------------------------------------------------------------------------------------------
def in_one_dtype(device_type, x, weight, bias, *, approximate="none", step="auto"):
    """In an autocast region all become the region's dtype, as for F.linear. Autocast never converts float64."""
    to = torch.get_autocast_dtype(device_type)
    to = to if to in HALVES else HALVES[0]
    x, weight, bias = (y.to(to) if y.is_floating_point() and y.dtype != torch.float64 else y for y in (x, weight, bias))
    with torch.autocast(device_type, enabled=False):  # otherwise this function would call itself
        return torch.ops.chapter18.linear_gelu(x, weight, bias, approximate=approximate, step=step)
