"""What layer_norm lacks, added in Python: the result's shape for torch.compile, and the gradient.

y = u * weight, where u = (x - mean) * scale and scale = 1 / sqrt(variance + eps).
"""

import torch


def register(kernel, eps):
    """kernel(x, weight) launches layer_norm.cu. eps: as there."""
    torch.library.define("exercise14::layer_norm", "(Tensor x, Tensor weight) -> Tensor")
    torch.library.impl("exercise14::layer_norm", ("cpu", "cuda"), kernel)
    torch.library.register_fake("exercise14::layer_norm", fake)
    torch.library.register_autograd(
        "exercise14::layer_norm", lambda ctx, grad: backward(ctx, grad, eps), setup_context=setup_context
    )


def fake(x, weight):
    # your code
    torch._check(weight.shape == x.shape[-1:], lambda: f"weight must have the shape {x.shape[-1:]}, got {weight.shape}")
    return torch.empty_like(x)
    # end of your code


def setup_context(ctx, inputs, output):
    # your code
    ctx.save_for_backward(*inputs)
    # end of your code


def backward(ctx, grad, eps):
    """The gradients of x and of weight, in torch's operations, so that these also have gradients."""
    # your code
    x, weight = ctx.saved_tensors
    centred = x - x.mean(-1, keepdim=True)
    scale = torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps)
    u, part = centred * scale, grad * weight
    grad_x = scale * (part - part.mean(-1, keepdim=True) - u * (part * u).mean(-1, keepdim=True))
    return grad_x, (grad * u).flatten(end_dim=-2).sum(0)
    # end of your code
