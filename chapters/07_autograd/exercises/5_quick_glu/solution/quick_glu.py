"""quick_glu with a gradient: a Function whose passes run the kernels of quick_glu.cu."""

import torch


class QuickGLU(torch.autograd.Function):
    """QuickGLU.apply(launch, a, b) is a * sigmoid(1.702 * a) * b. a, b: float32, contiguous, of one shape.

    launch: the launchers of quick_glu.h, called with tensors (None for nullptr) and without the stream. With
    create_graph=True, backward raises RuntimeError or gives gradients that can be differentiated again.
    """

    @staticmethod
    def forward(ctx, launch, a, b):
        ctx.launch = launch
        # your code
        ctx.save_for_backward(a, b if ctx.needs_input_grad[1] else None)
        # end of your code
        out = torch.empty_like(a)
        launch.launch_forward(out, a, b, a.numel())
        return out

    @staticmethod
    def backward(ctx, grad):
        # your code
        if torch.is_grad_enabled():  # create_graph=True
            raise RuntimeError("QuickGLU has no second derivative: its backward runs a kernel")
        a, b = ctx.saved_tensors
        grads = [torch.empty_like(a) if wanted else None for wanted in ctx.needs_input_grad[1:]]
        ctx.launch.launch_backward(*grads, grad.contiguous(), a, b, a.numel())
        return None, *grads
        # end of your code
