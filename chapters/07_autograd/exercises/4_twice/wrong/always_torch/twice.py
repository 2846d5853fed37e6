"""silu as a Function whose passes run kernels."""

import torch


class SiLU(torch.autograd.Function):
    """SiLU.apply(kernels, x) is x * sigmoid(x). x: float64, contiguous.

    kernels.forward(x) and kernels.backward(grad, x) launch a kernel. Autograd does not record what they do.
    """

    @staticmethod
    def forward(ctx, kernels, x):
        ctx.kernels = kernels
        ctx.save_for_backward(x)
        return kernels.forward(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        # your code
        s = torch.sigmoid(x)
        return None, grad * s * (1 + x * (1 - s))
        # end of your code
