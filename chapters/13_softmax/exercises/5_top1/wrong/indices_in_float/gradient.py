"""What top1 lacks, added in Python: the results' shapes and dtypes for torch.compile, and the gradient."""

import torch


@torch.library.register_fake("exercise13::top1")
def fake(x):
    # your code
    return x.new_empty(x.shape[0]), x.new_empty(x.shape[0])
    # end of your code


def setup_context(ctx, inputs, output):
    # your code
    (x,) = inputs
    _, indices = output
    ctx.save_for_backward(indices)
    ctx.shape = x.shape
    # end of your code


def backward(ctx, grad_values, grad_indices):
    """The gradient of x. grad_indices says nothing: indices have no gradient."""
    # your code
    (indices,) = ctx.saved_tensors
    return grad_values.new_zeros(ctx.shape).scatter(1, indices[:, None], grad_values[:, None])
    # end of your code


torch.library.register_autograd("exercise13::top1", backward, setup_context=setup_context)
