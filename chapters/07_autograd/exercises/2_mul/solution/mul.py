"""The product of two tensors, with a gradient."""

import torch


class Mul(torch.autograd.Function):
    """Mul.apply(a, b) is a * b. a, b: of one shape."""

    @staticmethod
    def forward(ctx, a, b):
        # your code
        of_a, of_b = ctx.needs_input_grad
        ctx.save_for_backward(a if of_b else None, b if of_a else None)
        # end of your code
        return a * b

    @staticmethod
    def backward(ctx, grad):
        # your code
        a, b = ctx.saved_tensors
        of_a, of_b = ctx.needs_input_grad
        return grad * b if of_a else None, grad * a if of_b else None
        # end of your code
