"""The product of two tensors, with a gradient."""

import torch


class Mul(torch.autograd.Function):
    """Mul.apply(a, b) is a * b. a, b: of one shape."""

    @staticmethod
    def forward(ctx, a, b):
        # your code
        # what backward needs, and nothing else
        # end of your code
        return a * b

    @staticmethod
    def backward(ctx, grad):
        # your code
        return None, None  # a gradient for each argument of forward, None where none is wanted
        # end of your code
