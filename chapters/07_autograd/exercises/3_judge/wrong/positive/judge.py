"""A test for the gradients of a function that claims to be silu."""

import torch
from torch.autograd import gradcheck, gradgradcheck  # noqa: F401


def is_right(silu) -> bool:
    """Whether the gradients of silu(x), first and second, are right, and a change of x before backward is noticed.

    silu: a function of one tensor, of float32 or float64. Its result is x * sigmoid(x). Returns a bool, raises nothing.
    """
    # your code
    x = torch.tensor([0.1, 0.5, 1.0, 3.0], dtype=torch.float64, requires_grad=True)
    if not gradcheck(silu, (x,), raise_exception=False):
        return False
    if not gradgradcheck(silu, (x,), raise_exception=False):
        return False
    out = silu(x)
    with torch.no_grad():
        x.mul_(2)
    try:
        out.sum().backward()
    except RuntimeError:
        return True
    return False
    # end of your code
