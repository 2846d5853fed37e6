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
    raise NotImplementedError("fake() of layer_norm.py is still to be written")
    # end of your code


def setup_context(ctx, inputs, output):
    # your code
    pass
    # end of your code


def backward(ctx, grad, eps):
    """The gradients of x and of weight, in torch's operations, so that these also have gradients."""
    # your code
    raise NotImplementedError("backward() of layer_norm.py is still to be written")
    # end of your code
