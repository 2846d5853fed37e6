"""A test for the gradients of a function that claims to be silu."""

import torch
from torch.autograd import gradcheck, gradgradcheck  # noqa: F401


def is_right(silu) -> bool:
    """Whether the gradients of silu(x), first and second, are right, and a change of x before backward is noticed.

    silu: a function of one tensor, of float32 or float64. Its result is x * sigmoid(x). Returns a bool, raises nothing.
    """
    # your code
    x = torch.randn(8, requires_grad=True)
    silu(x).sum().backward()
    return x.grad is not None
    # end of your code
