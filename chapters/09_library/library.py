"""What bias_gelu.cpp leaves to Python: gradients, autocast, vmap.

ops is torch.ops.chapter09. Chapter 10 registers the same functions for torch.ops.chapter10.
"""

import functools

import torch


def register(namespace, device_type):
    """Once for each process and namespace, after the library was loaded."""
    ops, name = getattr(torch.ops, namespace), f"{namespace}::bias_gelu"
    torch.library.register_autograd(name, functools.partial(backward, ops), setup_context=save)
    torch.library.register_autograd(f"{name}_backward", double_backward, setup_context=save)
    torch.library.register_vmap(name, functools.partial(vmap, ops))
    torch.library.impl(name, f"Autocast{device_type.upper()}", functools.partial(autocast, ops, device_type))


def save(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)
    ctx.approximate = keyword_only_inputs["approximate"]


def backward(ops, ctx, grad):
    return ops.bias_gelu_backward(grad.contiguous(), *ctx.saved_tensors, approximate=ctx.approximate)


def double_backward(ctx, grad_of_grad_x, grad_of_grad_bias):
    """bias_gelu_backward computes grad * gelu'(x + bias) and its sum over the rows. Here is its derivative, in torch's
    operations, which can be differentiated again. Each operation rounds, so half precision becomes float32 first, as in the
    kernels."""
    dtype = grad_of_grad_x.dtype
    number = torch.promote_types(dtype, torch.float32)
    both = grad_of_grad_x.to(number) + grad_of_grad_bias.to(number)
    grad, x, bias = (t.to(number) for t in ctx.saved_tensors)
    first, second = slopes(x + bias, ctx.approximate)
    of_x = both * grad * second
    of_bias = of_x.flatten(end_dim=-2).sum(0) if x.dim() > 1 else of_x
    return (both * first).to(dtype), of_x.to(dtype), of_bias.to(dtype)


def slopes(u, approximate):
    """The first and the second derivative of gelu."""
    if approximate == "none":
        density = torch.exp(-0.5 * u * u) * 0.3989422804014327
        return 0.5 * (1 + torch.erf(u * 0.7071067811865476)) + u * density, (2 - u * u) * density
    k = 0.7978845608028654
    t, inner = torch.tanh(k * (u + 0.044715 * u**3)), k * (1 + 3 * 0.044715 * u * u)
    slope = (1 - t * t) * inner  # of t
    bend = -2 * t * slope * inner + (1 - t * t) * k * 6 * 0.044715 * u
    return 0.5 * (1 + t) + 0.5 * u * slope, slope + 0.5 * u * bend


def vmap(ops, info, in_dims, x, bias, *, approximate="none"):
    """Many x with one bias are one larger x, and one call. Many biases need many calls."""
    x_dim, bias_dim = in_dims
    if bias_dim is None:
        return ops.bias_gelu(x.movedim(x_dim, 0).contiguous(), bias, approximate=approximate), 0
    xs = x.expand(info.batch_size, *x.shape) if x_dim is None else x.movedim(x_dim, 0)
    biases = bias.movedim(bias_dim, 0)
    if info.batch_size == 0:  # torch.stack() refuses an empty list. The sum of no biases is a bias of zeros
        return ops.bias_gelu(xs.contiguous(), biases.sum(0), approximate=approximate), 0
    calls = [
        ops.bias_gelu(x.contiguous(), b.contiguous(), approximate=approximate) for x, b in zip(xs, biases, strict=True)
    ]
    return torch.stack(calls), 0


def widest(*tensors):
    """Where dtypes differ, float16 and bfloat16 become float32. float64 stays: autocast never converts it."""
    if len({t.dtype for t in tensors}) > 1:
        return tuple(t.float() if t.dtype in (torch.float16, torch.bfloat16) else t for t in tensors)
    return tensors


def autocast(ops, device_type, x, bias, *, approximate="none"):
    """In an autocast region, x often comes from a linear layer, in half precision, and bias, a parameter, is float32.
    torch.library.register_autocast takes no keyword arguments yet, so register() enters this function by impl()."""
    x, bias = widest(x, bias)
    with torch.autocast(device_type, enabled=False):  # otherwise this function would call itself
        return ops.bias_gelu(x, bias, approximate=approximate)
