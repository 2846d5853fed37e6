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
        if torch.is_grad_enabled():
            raise RuntimeError("SiLU.backward runs a kernel and cannot be differentiated")
        return None, ctx.kernels.backward(grad.contiguous(), x)
        # end of your code
