"""add_rms_norm of torch's operations, and its gradient."""

import torch

EPS = 1e-6
torch.library.define("exercise14::add_rms_norm", "(Tensor x, Tensor residual, Tensor weight) -> (Tensor y, Tensor sum)")


@torch.library.impl("exercise14::add_rms_norm", "CompositeExplicitAutograd")
def add_rms_norm(x, residual, weight):
    sum = x + residual
    wide = sum.to(torch.promote_types(x.dtype, torch.float32))
    scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + EPS)
    return (wide * scale * weight).to(x.dtype), sum


def setup_context(ctx, inputs, output):
    _, _, weight = inputs
    _, sum = output
    ctx.save_for_backward(sum, weight)


def backward(ctx, grad, grad_sum):
    """grad: of y. grad_sum: of sum, which may be used further. Both are tensors, of zeros where a result was not used."""
    sum, weight = ctx.saved_tensors
    wide = torch.promote_types(sum.dtype, torch.float32)
    # your code
    g, x = grad.to(wide), sum.to(wide)
    scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS)
    part = g * weight
    grad_x = scale * part - scale**3 * (part * x).mean(-1, keepdim=True) * x + grad_sum
    grad_weight = (g * x * scale).sum(0)
    # end of your code
    grad_x = grad_x.to(sum.dtype)
    return grad_x, grad_x, grad_weight.to(sum.dtype)


torch.library.register_autograd("exercise14::add_rms_norm", backward, setup_context=setup_context)
